import { sign } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { directOf } from '../helpers/world-steps.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
});
afterAll(() => world?.close());

/** A signed request of a kind that this version does not know: an old button, another slash command. */
async function deliver(fields: Record<string, string>) {
  const body = new URLSearchParams(fields).toString();
  const seconds = Math.floor(Date.now() / 1000);
  const answer = await fetch(`${world.url}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': sign(world.signingSecret, seconds, body),
    },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

const somebody = () => {
  const { team, people } = world.slack;
  return { team: { id: team.id }, user: { id: people.member.id, team_id: team.id }, trigger_id: 'T' };
};

it.each([
  { kind: 'block_actions', of: { actions: [{ type: 'button', action_id: 'of_long_ago', block_id: 'b' }] } },
  { kind: 'view_submission', of: { view: { callback_id: 'of_long_ago', state: { values: {} } } } },
])(
  '$kind that nobody knows is acknowledged, and logged, and its person reads that nothing was done',
  async ({ kind, of }) => {
    const payload = JSON.stringify({ type: kind, ...somebody(), ...of });
    const { status, text } = await deliver({ payload });
    expect(status).toBe(200);
    if (kind === 'view_submission') expect(text).toContain('updated while this form was open');
    const direct = () => directOf(world, world.slack.people.member).join();
    if (kind === 'block_actions')
      await expect.poll(direct).toContain('made this button, so nothing was done');
    const line = kind === 'block_actions' ? 'an unknown button' : 'an unknown form';
    await expect.poll(world.output).toContain(line);
  },
);

it('another slash command is answered with the real one', async () => {
  const { team, people, channels } = world.slack;
  const answer = await deliver({
    command: '/smss',
    text: 'balance',
    team_id: team.id,
    user_id: people.member.id,
    channel_id: channels.sales.id,
  });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('Switchboard does not know this command. Type `/sms`.');
});
