import { expect, test } from 'vitest';
import { createPoll } from '../../../src/core/accounts/poll-balances.ts';
import { ACME_KEY_TOO, addInstance, boot, createBooks, createCoreWorld } from '../../helpers/core-world.ts';

/** Far longer than the test runs: which key comes first follows the clock. */
const EVERY_MS = 1_000_000;

test('a round asks an account’s next key if one gives no figure, and each refused key; each begins with another key', async () => {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const books = createBooks(booted);
  await addInstance(books);
  await addInstance(books, ACME_KEY_TOO, 'Acme too');
  const asked: string[] = [];
  const silent = new Set<string>();
  const { ledger, records, log } = booted;
  const round = createPoll({
    ledger,
    instances: records.instances,
    credit: {
      async read({ id }) {
        asked.push(id);
        return silent.has(id) ? { kind: 'unavailable' } : ({ kind: 'ok' } as never);
      },
    },
    everyMs: EVERY_MS,
    log,
  });
  const askedInARound = async () => {
    asked.length = 0;
    world.time.advance(EVERY_MS);
    await round(new AbortController().signal);
    return [...asked];
  };

  const [first = ''] = await askedInARound();
  expect(asked).toEqual([first]);
  const [next = ''] = await askedInARound();
  expect(asked).toEqual([next]);
  expect(next).not.toBe(first);
  silent.add(first);
  expect(await askedInARound()).toEqual([first, next]);
  const instance = await books.instances.get('T1', first);
  if (instance) await books.instances.noteKeyHealth(instance, 'key_refused');
  expect(await askedInARound()).toEqual([next, first]);
});
