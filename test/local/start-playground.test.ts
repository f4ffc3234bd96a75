import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PageState, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PanelStates } from '../../local/panels.ts';
import {
  buttonOf,
  channelOn,
  inputsOf,
  messageOn,
  openScreen,
  post,
  type Screen,
  wordsOn,
} from '../../packages/slack-playground/test/helpers/page-client.ts';
import { suggestedCommands } from '../../src/slack/ui/command-list.ts';
import { isAlive, type LocalProcess, refusedStart, startLocalProcess } from '../helpers/local-process.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { START } from '../helpers/start-command.ts';

const KEY = 'sandbox-key-acme-0001';
const ADAM = 'U0ADMIN001';
const ANA = 'U0MEMBER01';
const GUS = 'U0GUEST001';
const OLGA = 'U0OWNER001';
const SALES = 'C0SALES001';
const PARTNERS = 'C0PARTNERS';
const FIRST = '447700900100';
const SLOW = 40_000;

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-local-'));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function gone(pid: number | undefined, ms = SLOW): Promise<void> {
  if (pid === undefined) throw new Error('there was no bot');
  for (const until = Date.now() + ms; isAlive(pid); await sleep(20)) {
    if (Date.now() > until) throw new Error(`${pid} is still there`);
  }
}

const shown = (state: PageState) => state.panels as PanelStates;
/** The ids of the steps that are done. */
const doneIn = ({ tryThis }: PageState) =>
  Object.fromEntries(tryThis?.steps.map(({ id, done }) => [id, done]) ?? []);

const running = ({ bot }: PageState) => bot.state === 'running';

it('the commands are those of the manifest', () => {
  const manifest = parse(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
  const known = manifest.features.slash_commands.map(({ command }: { command: string }) => command);
  expect([...new Set(suggestedCommands().map(({ word }) => word.split(' ')[0]))]).toEqual(known);
});

/** A newcomer's steps in their order. Each builds on the step before. */
sideBySide('trying it', () => {
  const dataDir = newFolder();
  const folder = join(dataDir, 'playground');
  let local: LocalProcess;
  let adam: Screen;
  let ana: Screen;

  async function open(): Promise<void> {
    local = await startLocalProcess(dataDir);
    [adam, ana] = await Promise.all([openScreen(local.url, ADAM), openScreen(local.url, ANA)]);
    await ana.until(running);
  }
  async function shut(signal: NodeJS.Signals): Promise<number | null> {
    for (const screen of [adam, ana]) screen.close();
    return local.end(signal);
  }
  beforeAll(open);
  afterAll(() => shut('SIGKILL'));

  const command = (as: string, text: string, channel = SALES) =>
    post(local.url, '/act/command', { as, channel, text });
  const textsTo = (phone: string) =>
    shown(ana.state()).phones.texts.filter((text) => text.phone.replace(/\D/g, '') === phone);
  const credits = () => shown(ana.state()).service.accounts.find(({ id }) => id === 1)?.credits;
  const fault = (id: string) => shown(ana.state()).service.faults.find((one) => one.id === id);

  /** Types the command and presses Send. Resolves with the ts of the draft, which becomes the receipt. */
  async function pressSend(number: string, text: string): Promise<string> {
    expect(await command(ANA, `/sms send ${number} ${text}`)).toEqual({ ok: true });
    const draft = await ana.until((state) => {
      const message = messageOn(state, 'sales', text);
      return message && textOf(message).includes('[Send]') && message;
    });
    const at = { as: ANA, channel: SALES, ts: draft.ts };
    await post(local.url, '/act/click', { ...at, ...buttonOf(draft, 'Send') });
    return draft.ts;
  }
  /** Resolves when the bot of this process id is gone and another one is ready. */
  async function followed(before: number | undefined): Promise<void> {
    await gone(before);
    for (const until = Date.now() + SLOW; local.botPid() === before; await sleep(20)) {
      if (Date.now() > until) throw new Error('there is no new bot');
    }
    await ana.until(running);
  }
  /** Resolves when these words are on the disk; until then a kill -9 may lose them. */
  async function written(words: string): Promise<void> {
    for (const until = Date.now() + SLOW; ; await sleep(20)) {
      if (readFileSync(join(folder, 'state.json'), 'utf8').includes(words)) return;
      if (Date.now() > until) throw new Error(`${words} is not written`);
    }
  }
  const ports = () => JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8'));
  /** The service's address for the bot; a restart keeps its port. */
  const serviceUrl = () => `http://127.0.0.1:${ports().service}/api/v1`;
  /** Sends a list with the bot's key, as somebody else. Resolves with the status of the answer. */
  async function statusOfList(phones: string[]): Promise<number> {
    const messages = phones.map((phone) => ({ phone, message: 'A refused list' }));
    const { status } = await fetch(`${serviceUrl()}/messages/send-bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    });
    return status;
  }
  /** Whether Slack tells the bot that this person is an admin. */
  async function isAdmin(user: string): Promise<boolean> {
    const environ = readFileSync(`/proc/${local.botPid()}/environ`, 'utf8');
    const [, token = ''] = /SLACK_BOT_TOKEN=([^\0]*)/.exec(environ) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    const body = new URLSearchParams({ user });
    const url = `http://127.0.0.1:${ports().slack}/api/users.info`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    return ((await answer.json()) as { user: { is_admin: boolean } }).user.is_admin;
  }
  const timesOf = (state: PageState) => channelOn(state, 'sales').messages.map(({ ts }) => ts);
  const wordsAt = (ts: string, state: PageState) =>
    channelOn(state, 'sales')
      .messages.filter((message) => message.ts === ts)
      .map(textOf)
      .join();

  it('prints its address and how to stop it, and nothing else', () => {
    expect(local.output()).toMatch(
      /^\n {2}Switchboard’s playground: {2}http:\/\/localhost:\d+\n\n.*browser.*\n.*Ctrl\+C.*\n\n$/,
    );
    expect(local.output()).toContain(folder);
  });

  it('begins with a welcome, the steps to do, the keys and the commands', () => {
    const state = adam.state();
    expect(wordsOn(state)).toMatch(/^Welcome to #sales/);
    expect(Object.values(doneIn(state))).toEqual([false, false, false, false, false, false]);
    expect(shown(state).service.keys.map(({ key }) => key)).toContain(KEY);
    expect(state.commands).toEqual(expect.arrayContaining(suggestedCommands()));
    expect(state.people.map(({ role }) => role)).toEqual([
      'admin',
      'member',
      'member',
      'guest',
      'from another workspace',
    ]);
  });

  it('gives the bot a port outside of the range that systems choose from', () => {
    expect(ports().bot).toBeLessThan(32_768);
  });

  it('Link: an admin pastes the key', async () => {
    expect(await command(ADAM, '/sms link')).toEqual({ ok: true });
    const form = await adam.until(({ views }) =>
      views.find(({ view }) => 'API key' in inputsOf({ view } as never)),
    );
    const inputs = inputsOf(form);
    const values = { [inputs['Instance name'] ?? '']: 'Acme', [inputs['API key'] ?? '']: KEY };
    expect(await post(local.url, '/act/submit', { as: ADAM, view: form.view.id, values })).toEqual({
      ok: true,
    });
    await ana.until((state) => doneIn(state).link);
    expect(wordsOn(ana.state())).not.toContain(KEY);
  });

  it('Send: the text arrives, the receipt says what it cost', async () => {
    const ts = await pressSend('+44 20 7946 0958', 'Hello there');
    await ana.until((state) => wordsAt(ts, state).includes('1 credit used · 999 left'));
    expect(textsTo('442079460958').map(({ text }) => text)).toEqual(['Hello there']);
    expect(credits()).toBe(999);
    expect(doneIn(ana.state())).toMatchObject({ send: true, lose_answer: false, run_low: false });
  });

  it('Lose an answer: the text arrives, and the bot says that it does not know', async () => {
    await post(local.url, '/panels/fault', { id: 'answer_lost', on: true });
    await ana.until(() => fault('answer_lost')?.active);
    const ts = await pressSend('+44 20 7946 0123', 'Did this arrive?');
    await ana.until((state) => wordsAt(ts, state).includes('Unknown'));
    expect(fault('answer_lost')?.active).toBe(false);
    expect(textsTo('442079460123')).toHaveLength(1);
    await ana.until((state) => wordsAt(ts, state).includes('Unknown, probably sent'));
    await ana.until((state) => doneIn(state).lose_answer);
  });

  it('Run low: somebody spends the credits, the channel is warned', async () => {
    await post(local.url, '/panels/credits', { account: 1, credits: 42 });
    await ana.until((state) => messageOn(state, 'sales', 'running low'));
    await ana.until((state) => doneIn(state).run_low);
    expect((await post(local.url, '/panels/credits', { account: 9, credits: 1 })).problem).toBe(
      'There is no such account.',
    );
    await post(local.url, '/panels/credits', { account: 1, credits: 500 });
    await ana.until((state) => messageOn(state, 'sales', 'Enough credits again'));
  });

  it('Act as a guest: the bot refuses, in words', async () => {
    const gus = await openScreen(local.url, GUS);
    expect(await command(GUS, '/sms send +44 20 7946 0958 Hi', PARTNERS)).toEqual({ ok: true });
    await gus.until((state) => channelOn(state, 'partners').messages.length > 0);
    await gus.until((state) => doneIn(state).guest);
    gus.close();
  });

  it('faults are sentences that can be switched on and off', async () => {
    const sentences = shown(ana.state()).service.faults.map(({ sentence }) => sentence);
    expect(new Set(sentences).size).toBe(7);
    for (const { id } of shown(ana.state()).service.faults) {
      await post(local.url, '/panels/fault', { id, on: true });
      await post(local.url, '/panels/fault', { id, on: true });
    }
    await ana.until((state) => shown(state).service.faults.every(({ active }) => active));
    for (const { id } of shown(ana.state()).service.faults)
      await post(local.url, '/panels/fault', { id, on: false });
    await ana.until((state) => shown(state).service.faults.every(({ active }) => !active));
    expect((await post(local.url, '/panels/fault', { id: 'x', on: true })).problem).toBe(
      'There is no such fault.',
    );
  });

  it('refused lists: the texts before the refused number are sent if the panel says so', async () => {
    const { choices, number } = shown(ana.state()).service.refusedLists;
    expect(new Set(choices.map(({ sentence }) => sentence)).size).toBe(5);
    expect((await post(local.url, '/panels/refused-lists', { id: 'x' })).problem).toBe(
      'There is no such choice.',
    );
    for (const { id } of choices) {
      expect(await post(local.url, '/panels/refused-lists', { id })).toEqual({ ok: true });
      await ana.until((state) => shown(state).service.refusedLists.chosen === id);
      // The other choices charge, and the bot would notice.
      if (id === 'whole' || id === 'rolls_back') expect(await statusOfList([FIRST, number])).toBe(422);
    }
    await ana.until(() => textsTo(FIRST).length === 1);
    await post(local.url, '/panels/refused-lists', { id: 'whole' });
    await ana.until((state) => shown(state).service.refusedLists.chosen === 'whole');
  });

  it('Kill and restart, while the service hangs: the outcome is unknown, and nothing is sent later', async () => {
    await post(local.url, '/panels/fault', { id: 'hangs', on: true });
    const ts = await pressSend('+44 20 7946 0400', 'Into the void');
    await ana.until((state) => wordsAt(ts, state).includes('Sending'));
    const before = local.botPid();
    await post(local.url, '/bot/restart', {});
    await followed(before);
    await ana.until((state) => wordsAt(ts, state).includes('Unknown'));
    await post(local.url, '/panels/fault', { id: 'hangs', on: false });
    expect(textsTo('442079460400')).toEqual([]);
  });

  it('Kill and restart, right after Send: nobody is texted twice, and each text gets its outcome', async () => {
    const sent: { phone: string; ts: string }[] = [];
    for (const [n, patience] of [0, 15, 60].entries()) {
      const phone = `44207946020${n}`;
      const ts = await pressSend(`+${phone}`, `In the middle ${n}`);
      await sleep(patience);
      const before = local.botPid();
      expect(await post(local.url, '/bot/restart', {})).toEqual({ ok: true });
      await followed(before);
      sent.push({ phone, ts });
    }
    for (const { phone, ts } of sent) {
      // If the kill came before the decision, the draft still asks; else there is an outcome.
      await ana.until((state) => {
        const words = wordsAt(ts, state);
        return (
          /^\S+ \*(?:Sent|Unknown)/.test(words) || (words.includes('[Send]') && textsTo(phone).length === 0)
        );
      });
      expect(textsTo(phone).length).toBeLessThanOrEqual(1);
    }
    await command(ANA, '/sms balance');
    await ana.until((state) => messageOn(state, 'sales', `${credits()} credits`));
    // By now the bot would have sent the text that a kill made unknown above.
    expect(textsTo('442079460400')).toEqual([]);
  });

  it('a bot that dies by itself starts again, and the page says so', async () => {
    const before = local.botPid();
    if (before === undefined) throw new Error('no bot');
    const wasDown = ana.until(({ bot }) => bot.state === 'down');
    process.kill(before, 'SIGKILL');
    await Promise.all([wasDown, followed(before)]);
    expect(local.output()).toContain('The bot crashed and starts again');
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    '%s and a new start: all is as it was, and works',
    async (signal) => {
      await command(ANA, `/sms send +44 20 7946 0300 Before ${signal}`);
      const draft = await ana.until((state) => messageOn(state, 'sales', `Before ${signal}`));
      const before = ana.state();
      // A kill may lose the last moment, so wait until everything to compare is on the disk.
      for (const ts of timesOf(before)) await written(ts);
      const bot = local.botPid();
      const isAdminBefore = [await isAdmin(ADAM), await isAdmin(OLGA)];
      expect(await shut(signal)).toBe(signal === 'SIGTERM' ? 0 : null);
      await gone(bot);
      await open();
      const after = ana.state();
      expect(isAdminBefore).toEqual([true, false]);
      expect([await isAdmin(ADAM), await isAdmin(OLGA)]).toEqual(isAdminBefore);
      expect(timesOf(after)).toEqual(expect.arrayContaining(timesOf(before)));
      expect(wordsAt(draft.ts, after)).toBe(wordsAt(draft.ts, before));
      expect(messageOn(after, 'sales', 'Hello there')).toEqual(messageOn(before, 'sales', 'Hello there'));
      expect(after.panels).toEqual(before.panels);
      expect(doneIn(after)).toEqual({
        link: true,
        send: true,
        lose_answer: true,
        run_low: true,
        guest: true,
        text_list: false,
      });
      // An old button still finds its draft, and the answer its message.
      const cancel = { as: ANA, channel: SALES, ts: draft.ts, ...buttonOf(draft, 'Cancel') };
      expect(await post(local.url, '/act/click', cancel)).toEqual({ ok: true });
      await ana.until((state) => /cancelled/i.test(wordsAt(draft.ts, state)));
    },
  );

  it('a second one on the same folder says in one sentence that it is in use', async () => {
    const { code, output } = await refusedStart(dataDir, 0);
    expect(code).toBe(1);
    expect(output).toBe(
      `Another playground is running on ${folder}. Use that one, or give this one a DATA_DIR of its own.\n`,
    );
  });

  it('one sentence says that a port is taken', async () => {
    const port = Number(new URL(local.url).port);
    const { code, output } = await refusedStart(newFolder(), port);
    expect(code).toBe(1);
    expect(output).toBe(`Port ${port} is in use by another program: stop it, or set PORT to a free one.\n`);
  });

  it('only its owner can read the saved files, and the key is not in the bot’s', () => {
    for (const name of ['key', 'state.json', 'bot.log']) {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    }
    for (const name of readdirSync(join(folder, 'bot'))) {
      expect(readFileSync(join(folder, 'bot', name)).includes(KEY), name).toBe(false);
    }
    expect(readFileSync(join(folder, 'bot.log.1'), 'utf8')).toContain('Switchboard is ready');
  });

  it('Unlink: Link is to do again, and the other steps say that they need it', async () => {
    expect(await command(ADAM, '/sms unlink')).toEqual({ ok: true });
    const question = await adam.until((state) => messageOn(state, 'sales', 'no more texts from here'));
    const at = { as: ADAM, channel: SALES, ts: question.ts };
    await post(local.url, '/act/click', { ...at, ...buttonOf(question, 'Unlink: no more texts from here') });
    await ana.until((state) => !doneIn(state).link);
    expect((await post(local.url, '/act/step', { id: 'send' })).problem).toContain('Do step 1 first');
  });

  it('Start over: everything is as at the first start', async () => {
    expect(await post(local.url, '/start-over', {})).toEqual({ ok: true });
    await ana.until((state) => running(state) && /^Welcome to #sales[^\0]*Phones\*\.$/.test(wordsOn(state)));
    expect(credits()).toBe(1000);
    expect(shown(ana.state()).phones.texts).toEqual([]);
    expect(Object.values(doneIn(ana.state()))).toEqual([false, false, false, false, false, false]);
    await command(ANA, '/sms balance');
    await ana.until((state) => /not linked/i.test(wordsOn(state)));
    expect(doneIn(ana.state()).link).toBe(false);
  });
});

sideBySide('starting', () => {
  let local: LocalProcess | undefined;
  afterEach(() => local?.end('SIGKILL'));

  it('with a damaged state file, begins from the beginning and renames the file, each time', async () => {
    const dataDir = newFolder();
    const folder = join(dataDir, 'playground');
    local = await startLocalProcess(dataDir);
    const damaged = ['damaged', '{"version":1}', '{"version":2}', ''];
    for (const [before, text] of damaged.entries()) {
      await local.end('SIGTERM');
      writeFileSync(join(folder, 'state.json'), text);
      local = await startLocalProcess(dataDir);
      const [line] = local.output().split('\n');
      expect(line).toMatch(
        /state\.json can't be read: it is now .*state\.json\.damaged-\d+, and the playground starts from the beginning\.$/,
      );
      const aside = readdirSync(folder).filter((name) => name.includes('damaged'));
      expect(aside.map((name) => readFileSync(join(folder, name), 'utf8')).sort()).toEqual(
        damaged.slice(0, before + 1).sort(),
      );
      const screen = await openScreen(local.url);
      expect(wordsOn(screen.state())).toMatch(/^Welcome/);
      screen.close();
    }
  });

  it('stops by Ctrl+C without another word, and takes its bot along', async () => {
    const dataDir = newFolder();
    local = await startLocalProcess(dataDir, START);
    const screen = await openScreen(local.url);
    await screen.until(running);
    screen.close();
    const said = local.output();
    expect(await local.interrupt()).toBe(0);
    await gone(local.botPid(), 0);
    expect(local.output()).toBe(said);
  });

  it('says in one sentence that its folder can’t be used', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const { code, output } = await refusedStart(file, 0);
    expect(code).toBe(1);
    expect(output).toMatch(/^[^\n]*can't be used[^\n]*DATA_DIR must be a local folder[^\n]*\n$/);
  });

  it('leaves no bot behind if it is killed before the bot is ready', async () => {
    const dataDir = newFolder();
    local = await startLocalProcess(dataDir);
    await local.end('SIGKILL');
    await sleep(2000);
    local = await startLocalProcess(dataDir);
    const screen = await openScreen(local.url);
    await screen.until(running);
    screen.close();
    expect(existsSync(join(dataDir, 'playground/bot'))).toBe(true);
  });
});
