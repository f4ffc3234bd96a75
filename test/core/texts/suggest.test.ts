import { describe, expect, it } from 'vitest';
import { suggestWord } from '../../../src/core/texts/suggest.ts';

const WORDS = ['help', 'balance', 'send', 'bulk', 'link', 'unlink', 'settings', 'status'] as const;

describe('suggestWord', () => {
  it.each([
    ['blance', 'balance'],
    ['balanec', 'balance'],
    ['ballance', 'balance'],
    ['bal', 'balance'],
    ['Sned', 'send'],
    ['sen', 'send'],
    ['snd', 'send'],
    ['sends', 'send'],
    ['blk', 'bulk'],
    ['hlep', 'help'],
    ['lnik', 'link'],
    ['ulink', 'unlink'],
    ['unlnk', 'unlink'],
    ['setings', 'settings'],
    ['stauts', 'status'],
    ['stat', 'status'],
  ])('%s → %s', (typed, word) => {
    expect(suggestWord(typed, WORDS)).toBe(word);
  });

  it.each(['', 'x', 's', 'hello', 'invoice', 'message', 'credits', '+442079460958', '🙂', 'x'.repeat(3000)])(
    'nothing is near %j',
    (typed) => {
      expect(suggestWord(typed, WORDS)).toBeUndefined();
    },
  );
});
