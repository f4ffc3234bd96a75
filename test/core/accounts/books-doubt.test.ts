import { expect, test } from 'vitest';
import { createBooks } from '../../../src/core/accounts/books.ts';

test('after two reconnects, the second to a server whose clock is behind, a draft from before both may be old', () => {
  let now = 10_000;
  const ledger = { now: () => now };
  const deps = { ledger, clock: { steady: () => 0 }, leaseMs: 1, sameServerForMs: 1 };
  const books = createBooks(deps as unknown as Parameters<typeof createBooks>[0]);
  now = 20_000;
  books.doubtAll();
  now = 15_000;
  books.doubtAll();
  expect(books.mayBeOld('a1', 19_999)).toBe(true);
  expect(books.mayBeOld('a1', 20_001)).toBe(false);
});
