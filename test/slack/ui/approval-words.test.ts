import { expect, test } from 'vitest';
import { endOf } from '../../../src/slack/ui/approval-words.ts';
import { listRequest, textRequest } from './approval-samples.ts';
import { AT } from './samples.ts';

test('a request that was approved and then undone was not withdrawn by who asked', () => {
  const undone = { state: 'cancelled', undoneBy: 'UBEN' } as const;
  const approved = { by: 'UADAM', at: AT };
  for (const request of [textRequest(undone, approved), listRequest(undone, approved)]) {
    const words = endOf(request);
    expect(words).toMatch(/^✅ \*Approved\* by <@UADAM> at .+, then undone by <@UBEN>: nothing was sent$/);
  }
  expect(endOf(textRequest({ state: 'cancelled' }))).toBe('*Withdrawn* by <@UANA>');
});
