import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESPONSE_URL_LIFE_MS } from '../src/response-urls.ts';
import type { Playground } from '../src/server.ts';
import { KEPT_MESSAGES } from '../src/snapshot.ts';
import { createClock, startPlayground } from './helpers/slack-bot.ts';

let slack: Playground;
const clock = createClock();
beforeEach(async () => {
  slack = await startPlayground({ clock: clock.now });
});
afterEach(() => slack.close());

/** Another playground, on another port, that continues from this one's snapshot. */
async function takenUp(): Promise<void> {
  const json = JSON.stringify(slack.snapshot());
  await slack.close();
  slack = await startPlayground({ clock: clock.now });
  slack.restore(JSON.parse(json));
}

async function api(method: string, args: object): Promise<Record<string, unknown>> {
  return answerOf(slack.apiUrl + method, args);
}

async function answerOf(url: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer xoxb-playground' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

/** A command's response_url, as an app would get it. */
async function responseUrl(): Promise<string> {
  slack.setEventsUrl('http://127.0.0.1:1/');
  const { member } = slack.people;
  const { payload } = await slack.command({ user: member, channel: slack.channels.sales, text: 'help' });
  return String(payload.response_url);
}

/** The same URL with the playground's present address. */
const moved = (url: string) => new URL(new URL(url).pathname, slack.apiUrl).href;

describe('a playground that continues from a snapshot', () => {
  it('has messages, members and direct messages', async () => {
    const { sales } = slack.channels;
    const { member, colleague } = slack.people;
    slack.say({ user: member, channel: sales, text: 'Hello' });
    const posted = await api('chat.postMessage', { channel: sales.id, text: 'A card', blocks: [] });
    await api('chat.update', { channel: sales.id, ts: posted.ts, text: 'A changed card' });
    await api('chat.postEphemeral', { channel: sales.id, user: member.id, text: 'For you alone' });
    slack.leave(sales.id, colleague.id);
    const dm = slack.directMessage(member.id);
    const before = { said: slack.history(sales.id), whispered: slack.ephemerals(member.id) };
    await takenUp();
    expect({ said: slack.history(sales.id), whispered: slack.ephemerals(member.id) }).toEqual(before);
    expect(before.said.map(({ text }) => text)).toEqual(['Hello', 'A changed card']);
    expect(before.whispered).toHaveLength(1);
    expect(slack.channel(sales.id)?.members).not.toContain(colleague.id);
    expect(slack.directMessage(member.id)).toEqual(dm);
  });

  it('lets the app change what it posted before', async () => {
    const { sales } = slack.channels;
    const { ts } = await api('chat.postMessage', { channel: sales.id, text: 'A card' });
    await takenUp();
    expect(await api('chat.update', { channel: sales.id, ts, text: 'Later' })).toMatchObject({ ok: true });
    expect(slack.history(sales.id).map(({ text }) => text)).toEqual(['Later']);
  });

  it('gives later messages later times, even if the clock goes back', async () => {
    const { sales } = slack.channels;
    const first = slack.say({ user: slack.people.member, channel: sales, text: 'One' });
    clock.forward(-60_000);
    await takenUp();
    const second = slack.say({ user: slack.people.member, channel: sales, text: 'Two' });
    clock.forward(60_000);
    expect(Number(second.ts)).toBeGreaterThan(Number(first.ts));
  });

  it('has the response_urls that still work, with the uses that are left', async () => {
    const url = await responseUrl();
    expect(await answerOf(url, { text: 'One' })).toEqual({ ok: true });
    await takenUp();
    for (const text of ['Two', 'Three', 'Four', 'Five']) {
      expect(await answerOf(moved(url), { text })).toEqual({ ok: true });
    }
    expect(await answerOf(moved(url), { text: 'Six' })).toMatchObject({ error: 'used_url' });
    const shown = slack.ephemerals(slack.people.member.id).map(({ text }) => text);
    expect(shown).toEqual(['One', 'Two', 'Three', 'Four', 'Five']);
  });

  it('replaces an old message by the response_url of a click', async () => {
    const { sales } = slack.channels;
    const { member } = slack.people;
    const text = { type: 'plain_text', text: 'Go' };
    const elements = [{ type: 'button', action_id: 'go', text }];
    const blocks = [{ type: 'actions', elements }];
    await api('chat.postEphemeral', { channel: sales.id, user: member.id, text: 'Draft', blocks });
    const [draft] = slack.ephemerals(member.id);
    if (!draft) throw new Error('no draft');
    slack.setEventsUrl('http://127.0.0.1:1/');
    const { payload } = await slack.click({ user: member, message: draft, text: 'Go' });
    await takenUp();
    await answerOf(moved(String(payload.response_url)), { text: 'Receipt', replace_original: true });
    expect(slack.ephemerals(member.id).map((one) => one.text)).toEqual(['Receipt']);
  });

  it('leaves out the response_urls that are too old', async () => {
    const url = await responseUrl();
    clock.forward(RESPONSE_URL_LIFE_MS + 1);
    expect(slack.snapshot().urls).toEqual([]);
    await takenUp();
    expect(await answerOf(moved(url), { text: 'Late' })).toMatchObject({ error: 'no_such_url' });
  });

  it('has the newest messages of a long channel', async () => {
    const { sales } = slack.channels;
    for (let n = 1; n <= KEPT_MESSAGES + 1; n++) {
      slack.say({ user: slack.people.member, channel: sales, text: `No ${n}` });
    }
    await takenUp();
    expect(slack.history(sales.id)).toHaveLength(KEPT_MESSAGES);
    expect(slack.history(sales.id)[0]?.text).toBe('No 2');
  });

  it('has its seeds again after a reset', async () => {
    slack.say({ user: slack.people.member, channel: slack.channels.sales, text: 'Hello' });
    await takenUp();
    slack.reset();
    expect(slack.history(slack.channels.sales.id)).toEqual([]);
  });
});

it.each([null, {}, { workspace: { channels: [], messages: [{}], ephemerals: [] }, urls: [] }])(
  'refuses %j as a snapshot and leaves all as it is',
  (snapshot) => {
    slack.say({ user: slack.people.member, channel: slack.channels.sales, text: 'Hello' });
    expect(() => slack.restore(snapshot)).toThrow();
    expect(slack.history(slack.channels.sales.id)).toHaveLength(1);
  },
);
