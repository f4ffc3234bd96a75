import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPageServer } from '../src/page-server.ts';
import { channelOn, messageOn, openScreen, post, type Screen } from './helpers/page-client.ts';
import { createPageWorld, type PageWorld } from './helpers/page-world.ts';

let world: PageWorld;
beforeEach(async () => {
  world = await createPageWorld();
});
afterEach(() => world.close());

/** A bare request with exactly this Host, Origin and path. */
async function bare(path: string, headers: Record<string, string> = {}, method = 'GET', body = '') {
  const asked = request({ host: '127.0.0.1', port: world.page.port, path, method, headers, agent: false });
  asked.end(body);
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode as number, headers: response.headers, text };
}

describe('who is answered', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('%s, with any port', async (host) => {
    expect((await bare('/', { host })).status).toBe(200);
    expect((await bare('/', { host: `${host}:81` })).status).toBe(200);
  });

  it.each(['example.com', 'localhost.example.com', '127.0.0.1.example.com', '10.0.0.1'])(
    'not the name %j',
    async (host) => {
      const answer = await bare('/', { host });
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain('<html');
    },
  );

  it('no page of another origin, not even of another port', async () => {
    const host = `localhost:${world.page.port}`;
    const json = { host, 'content-type': 'application/json' };
    const send = (origin: string) => bare('/start-over', { ...json, origin }, 'POST', '{}');
    for (const origin of ['https://example.com', 'http://localhost:81', 'null', `https://${host}`]) {
      expect((await send(origin)).status, origin).toBe(403);
    }
    expect(world.did).toEqual([]);
    expect((await send(`http://${host}`)).status).toBe(200);
    expect(world.did).toEqual(['start over']);
  });

  it('no form of another page: it cannot have the content type of JSON', async () => {
    const headers = { host: 'localhost', 'content-type': 'text/plain' };
    for (const path of ['/bot/restart', '/panels/add']) {
      expect((await bare(path, headers, 'POST', '{}')).status).toBe(400);
    }
    expect(world.did).toEqual([]);
  });

  it('on loopback only, over IPv4 and, if there is one, IPv6', async () => {
    const answer = await fetch(`http://localhost:${world.page.port}/`);
    expect(answer.status).toBe(200);
  });

  it('a taken port is the system’s error', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const options = { port, slack: world.slack, bot: { subscribe: () => () => {} } } as never;
    await expect(createPageServer({ ...(options as object), commands: [] } as never)).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    taken.close();
  });
});

describe('files', () => {
  it('have their types, are not cached, and load nothing from elsewhere', async () => {
    const types = {
      '/': 'text/html; charset=utf-8',
      '/page/main.js': 'text/javascript; charset=utf-8',
      '/page/icon.svg': 'image/svg+xml',
    };
    for (const [path, type] of Object.entries(types)) {
      const answer = await bare(path, { host: 'localhost' });
      expect(answer.status, path).toBe(200);
      expect(answer.headers['content-type']).toBe(type);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it.each([
    '/page/../page-server.ts',
    '/page/..%2fpage-server.ts',
    '/page/%2e%2e/page-state.ts',
    '/page//etc/passwd.json',
    '/page/main.js/../../page-server.ts',
    '/page/',
    '/page/.hidden.js',
    '/page/none.js',
    '/page/main.js%00.css',
    '/package.json',
  ])('%s is none', async (path) => {
    const answer = await bare(path, { host: 'localhost' });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('There is nothing at this address');
  });
});

describe('the screen', () => {
  it('is the first person’s by default, and is never that of somebody who is not among the people', async () => {
    expect((await world.screenOf()).state().as).toBe(world.slack.people.admin.id);
    await expect(openScreen(world.url, 'U0NOBODY')).rejects.toThrow('400');
  });

  it('has the people with their roles, and the person’s conversations', async () => {
    const { member, guest, outsider } = world.slack.people;
    const ana = (await world.screenOf(member.id)).state();
    expect(ana.people.map(({ name, role }) => `${name}: ${role}`)).toEqual([
      'adam: admin',
      'ana: member',
      'gus: guest',
      'otto: from another workspace',
    ]);
    expect(ana.bot).toEqual({ userId: world.slack.bot.user_id, name: 'Playbot', state: 'running' });
    expect(ana.channels.map(({ name }) => name)).toEqual(['sales', 'support', 'leads', 'partners', 'ben']);
    for (const person of [guest, outsider]) {
      const { channels } = (await world.screenOf(person.id)).state();
      expect(channels.map(({ name, canType }) => [name, canType])).toEqual([['partners', true]]);
    }
  });

  it('shows the direct message with the bot under its name, without typing', async () => {
    const { member } = world.slack.people;
    const screen = await world.screenOf(member.id);
    const dm = world.slack.directMessage(member.id);
    world.slack.say({ user: world.slack.bot.user_id, channel: dm, text: 'A receipt' });
    const shown = await screen.until(({ channels }) => channels.find(({ name }) => name === 'Playbot'));
    expect(shown).toMatchObject({ id: dm.id, kind: 'im', canType: false });
    expect(await post(world.url, '/act/say', { as: member.id, channel: dm.id, text: 'Hi' })).toEqual({
      ok: false,
      problem: 'You cannot write here.',
    });
  });

  it('shows an ephemeral message to its person only, in the order of time', async () => {
    const { member, admin } = world.slack.people;
    const { sales } = world.slack.channels;
    await world.startBot((app) =>
      app.command('/app', async ({ ack }) => {
        await ack('For you alone');
      }),
    );
    const [ana, adam] = await Promise.all([world.screenOf(member.id), world.screenOf(admin.id)]);
    await post(world.url, '/act/say', { as: admin.id, channel: sales.id, text: 'One' });
    await post(world.url, '/act/command', { as: member.id, channel: sales.id, text: '/app help' });
    await post(world.url, '/act/say', { as: admin.id, channel: sales.id, text: 'Two' });
    const texts = (screen: Screen) => channelOn(screen.state(), 'sales').messages.map(({ text }) => text);
    await Promise.all([ana, adam].map((screen) => screen.until((state) => messageOn(state, 'sales', 'Two'))));
    expect(texts(ana)).toEqual(['One', 'For you alone', 'Two']);
    expect(texts(adam)).toEqual(['One', 'Two']);
    expect(world.did).toEqual(['command by ana']);
  });

  it('has the newest hundred messages', async () => {
    const { sales } = world.slack.channels;
    for (let n = 1; n <= 120; n++)
      world.slack.say({ user: world.slack.people.member, channel: sales, text: `No ${n}` });
    const { messages } = channelOn((await world.screenOf()).state(), 'sales');
    expect(messages.map(({ text }) => text)).toEqual(Array.from({ length: 100 }, (_, n) => `No ${n + 21}`));
  });

  it('comes once for many changes together, and not if nothing changes', async () => {
    const screen = await world.screenOf();
    const { sales } = world.slack.channels;
    for (let n = 1; n <= 50; n++)
      world.slack.say({ user: world.slack.people.member, channel: sales, text: `No ${n}` });
    await screen.until((state) => messageOn(state, 'sales', 'No 50'));
    expect(screen.states()).toBeLessThanOrEqual(3);
    const before = screen.states();
    world.panelChanged();
    world.panelChanged({ figure: 7 });
    await screen.until((state) => isDeepStrictEqual(state.panels, { sample: { figure: 7 } }));
    expect(screen.states()).toBe(before + 1);
  });
});
