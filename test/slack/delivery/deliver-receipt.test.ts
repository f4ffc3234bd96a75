import type { Playground } from 'slack-playground';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPlayground, webClientOf } from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import type { Delivery } from '../../../src/core/post-or-retry.ts';
import type { SendView } from '../../../src/core/sends/send-view.ts';
import { createReplies } from '../../../src/slack/answers/replies.ts';
import { deliverReceipt } from '../../../src/slack/delivery/deliver-receipt.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';
import { AT, evidence, settled } from '../ui/samples.ts';

let slack: Playground;
beforeEach(async () => {
  slack = await startPlayground();
});
afterEach(() => slack.close());

/** Posts the receipt of an unknown text at `AT`. */
function post(fields: Partial<SendView>): Promise<Delivery> {
  const by = slack.people.member.id;
  const sample = settled('unknown', { cause: 'no_answer' }, fields);
  const view = { ...sample, details: { ...sample.details, by } };
  const web = webClientOf(slack);
  const core = { sends: { view: async () => view }, now: () => AT };
  const deps = { core, web, replies: createReplies({ web }) } as unknown as SlackDeps;
  const row = { id: 'receipt:send-1', topic: 'receipt', subject: 'send-1', details: null };
  return deliverReceipt(deps, { ...row, areMore: false, attempts: 0, since: AT });
}

test('a receipt of an unknown text comes again some time after the text may be resent', async () => {
  expect(await post({ resendableAt: AT + 60_000 })).toMatchObject({ kind: 'posted', againMs: 130_000 });
  expect(await post({ resendableAt: AT, mayResend: true })).toMatchObject({ againMs: 70_000 });
});

test('it does not come again by itself after that, nor if evidence is there', async () => {
  const late = await post({ resendableAt: AT - 70_000, mayResend: true });
  expect(late).not.toHaveProperty('againMs');
  const judged = await post({ resendableAt: AT, evidence: evidence('none') });
  expect(judged).not.toHaveProperty('againMs');
});
