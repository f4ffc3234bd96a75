import { type Ephemeral, type Message, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { limitChannel } from '../helpers/world-limits.ts';
import { answerTo, arrivalsAt, link } from '../helpers/world-steps.ts';

/** Approval by a second person from outside: a process, signed requests, a real service. */
let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
  await link(world);
  limitChannel(world, { approvalAbove: 0 });
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.clearFaults();
  world.service.clearFaults();
  limitChannel(world, { approvalAbove: 0 });
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

let numbers = 0;

/** Types `/sms send …` to a new number and presses **Ask for approval**; resolves with the channel's card. */
async function askFor(
  words = 'Hello approvers',
): Promise<{ card: Message; preview: Ephemeral; digits: string }> {
  const { slack } = world;
  numbers += 1;
  const digits = `447700900${String(numbers).padStart(3, '0')}`;
  const before = new Set(slack.history(slack.channels.sales.id).map(({ ts }) => ts));
  const preview = (await answerTo(world, `send +${digits} ${words}`)) as Ephemeral;
  expect(textOf(preview)).toContain('[Ask for approval]');
  expect(textOf(preview)).not.toContain('[Send]');
  await slack.click({ user: preview.to, message: preview, text: 'Ask for approval' });
  const card = await slack.waitFor(() =>
    slack
      .history(slack.channels.sales.id)
      .find((each) => !before.has(each.ts) && textOf(each).includes('Approval needed')),
  );
  return { card, preview, digits };
}

/** The message as it is now, once it reads like that. */
function saying({ ts }: { ts: string }, words: RegExp): Promise<string> {
  const { slack } = world;
  return slack.waitFor(() => {
    const now = slack.history(slack.channels.sales.id).find((each) => each.ts === ts);
    const text = now ? textOf(now) : '';
    return words.test(text) ? text : undefined;
  });
}

describe('a text above the limit', () => {
  it('is asked for, approved by another person, and sent; who asked and who approved stands in the receipt', async () => {
    const { slack } = world;
    const { card, preview, digits } = await askFor();
    expect(textOf(card)).toMatch(/U0MEMBER01.*wants to send a text/s);
    expect(textOf(card)).toContain(`···${digits.slice(-4)}`);
    expect(textOf(card)).not.toContain('Hello approvers');
    expect(arrivalsAt(world, digits)).toEqual([]);
    await slack.click({ user: slack.people.admin, message: card, text: 'Approve and send' });
    const over = await saying(card, /Approved/);
    expect(over).toMatch(/\*Approved\* by <@U0ADMIN001>/);
    expect(over).not.toMatch(/\[(Approve|Decline|Withdraw|Read)/);
    const receipt = await slack.waitFor(() => {
      const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      const text = now ? textOf(now) : '';
      return text.includes('*Sent*') ? text : undefined;
    });
    expect(receipt).toContain('Approved by <@U0ADMIN001>');
    expect(arrivalsAt(world, digits)).toHaveLength(1);
  });
});
