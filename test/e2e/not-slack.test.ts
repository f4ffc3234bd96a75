import { sign } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { arrivalsAt, ask, draft, link } from '../helpers/world-steps.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
  await link(world);
});
afterAll(() => world.close());

/** The row "wrong signature, old timestamp, body over 1 MB" of what bad input gets. */
describe('requests that are not Slack’s', () => {
  for (const [what, how, status] of [
    ['a wrong signature', { signature: 'wrong' }, 401],
    ['no signature', { signature: 'missing' }, 401],
    ['an old timestamp', { ageSeconds: 301 }, 401],
    ['a body that was changed', { tamper: (body: string) => body.replace('Overheard', 'Forged') }, 401],
    ['a body over 1 MB', { padBytes: 1024 * 1024 }, 413],
  ] as const) {
    it(`${what}: refused before any work`, async () => {
      const { slack } = world;
      await ask(world, 'help');
      const before = [slack.calls.length, world.service.requests.length, world.dataBytes()] as const;
      const logged = world.output().length;
      const command = await slack.command(
        {
          user: slack.people.member,
          channel: slack.channels.sales,
          text: 'send +442079460199 Overheard words',
        },
        how,
      );
      expect(command.status).toBe(status);
      expect([slack.calls.length, world.service.requests.length, world.dataBytes()]).toEqual(before);
      const log = world.output().slice(logged);
      expect(log).not.toMatch(/Overheard|Forged|79460199|U0MEMBER01/);
      expect(log).not.toContain('"level":50');
    });
  }

  it('a click that was overheard and replayed by nobody’s secret sends nothing', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460120 Replay');
    const forged = await slack.click(
      { user: preview.to, message: preview, text: 'Send' },
      { signature: 'wrong' },
    );
    expect(forged.status).toBe(401);
    const old = await forged.resend({ ageSeconds: 600 });
    expect(old.status).toBe(401);
    await ask(world, 'help');
    expect(arrivalsAt(world, '442079460120')).toEqual([]);
  });

  for (const [type, body] of [
    ['application/json', 'null'],
    ['application/x-www-form-urlencoded', 'payload=null'],
    ['application/x-www-form-urlencoded', 'payload=%20n%75l%6C'],
  ] as const) {
    it(`signed but empty: ${body} is refused, and the bot goes on`, async () => {
      const seconds = Math.floor(Date.now() / 1000);
      const answer = await fetch(`${world.url}/slack/events`, {
        method: 'POST',
        headers: {
          'content-type': type,
          'x-slack-request-timestamp': String(seconds),
          'x-slack-signature': sign(world.signingSecret, seconds, body),
        },
        body,
      });
      expect(answer.status).toBe(400);
      expect(await ask(world, 'balance')).toContain('credits');
    });
  }

  it('other methods, paths and bodies get an error and leave the bot well', async () => {
    const paths = ['/', '/slack/events', '/slack/install', '/healthz/../slack/events'];
    for (const path of paths) expect((await fetch(world.url + path)).status, path).toBe(404);
    const odd = await fetch(`${world.url}/slack/events`, { method: 'POST', body: '{' });
    expect(odd.status).toBe(401);
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
  });
});
