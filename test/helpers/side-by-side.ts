import { describe } from 'vitest';

/**
 * Declares tests that run in order, while the file's other tests of this kind run: they mostly wait. Give them a world of
 * their own.
 */
export function sideBySide(title: string, body: () => void, skip = false): void {
  describe.skipIf(skip).concurrent(title, () => {
    describe('in order', { concurrent: false }, body);
  });
}
