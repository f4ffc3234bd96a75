import { expect, test } from 'vitest';
import type { SendView } from '../../../../src/core/sends/send-view.ts';
import { sendAgain } from '../../../../src/slack/listeners/texts/text-draft.ts';
import type { Message } from '../../../../src/slack/ui/blocks.ts';

type Deps = Parameters<typeof sendAgain>[0];
type Click = Parameters<typeof sendAgain>[1];

/** What ANA reads who presses **Resend…** at an unknown text of hers. */
async function answerTo(text: Partial<SendView>): Promise<string> {
  const answers: Message[] = [];
  const view = {
    id: 's1',
    channel: 'C1',
    e164: '+447700900958',
    text: 'Hello',
    details: { by: 'UANA' },
    ...text,
  };
  const deps = {
    core: { sends: { view: async () => view } },
    rights: { membershipRefusal: async () => undefined },
  };
  const click = { person: { id: 'UANA' }, value: 's1', answer: async (said: Message) => answers.push(said) };
  await sendAgain(deps as unknown as Deps, click as unknown as Click);
  return answers.map(({ text: words }) => words).join();
}

test('Resend… at a text whose first request may still be under way: nothing is drafted, and it says from when', async () => {
  const soon = { resendableAt: Date.UTC(2026, 10, 28, 12) };
  expect(await answerTo(soon)).toMatch(
    /may still be under way, so nothing was sent again[\s\S]*after <!date/,
  );
});

test('Resend… at a text whose words were deleted says so', async () => {
  expect(await answerTo({ e164: '' })).toContain('The words and numbers were deleted meanwhile');
});
