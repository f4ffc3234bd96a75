import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Choice, type Ephemeral, type Message, type OpenView, type Ref, textOf } from 'slack-playground';
import { withTables } from './stored-rows.ts';
import type { World } from './world.ts';

/** The sandbox's keys: an account with 1,000 credits and one with 3. */
export const ACME_KEY = 'sandbox-key-acme-0001';
export const BIRCH_KEY = 'sandbox-key-birch-0002';

/** Who acts, and in which channel; by default a member in #sales. */
export interface Where {
  user?: Ref;
  channel?: Ref;
}

/** What an admin types into the link form. */
interface Linked extends Where {
  key?: string;
  name?: string;
  values?: Record<string, Choice>;
}

/**
 * An admin links the channel to a new instance, by its key. If the bot answers too late for Slack, or could not use its
 * store in time, does so again, three times at most. Resolves to the bot's words to the admin.
 */
export async function link(world: World, linked: Linked = {}, tries = 4): Promise<string> {
  const { slack } = world;
  const { channel = slack.channels.sales, user = slack.people.admin, ...rest } = linked;
  const opened = await openModal(slack, { user, channel, text: 'link' });
  const form = await newInstanceForm(slack, user, await loaded(slack, opened));
  const { key = ACME_KEY, name = 'Acme', values = {} } = rest;
  const done = await slack.submitView({
    user,
    view: form,
    values: { 'Instance name': name, 'API key': key, ...values },
  });
  if (done.toast === 'operation_timeout' && tries > 1) {
    await slack.closeView({ user, view: form, all: true });
    return link(world, linked, tries - 1);
  }
  if (done.outcome !== 'updated')
    throw new Error(`not linked: ${done.outcome} ${JSON.stringify(done.errors)}`);
  const told = await loaded(slack, form);
  if (!UNFINISHED.test(textOf(told)) || tries === 1) return textOf(told);
  await slack.closeView({ user, view: told, all: true });
  return link(world, linked, tries - 1);
}

/** How long a form may take to open: Slack's trigger for it lives for three seconds. */
const OPENS_MS = 5000;

/** The modal of a command. If the bot is too slow for its trigger, types the command again, three times at most. */
export function openModal(
  slack: World['slack'],
  asked: Parameters<World['slack']['command']>[0],
): Promise<OpenView> {
  return openBy(() => slack.command(asked));
}

/** The modal that a command or a click opens. If the bot is too slow for its trigger, asks again, three times at most. */
export async function openBy(
  ask: () => Promise<{ view(ms: number): Promise<OpenView> }>,
  tries = 4,
): Promise<OpenView> {
  const asked = await ask();
  try {
    return await asked.view(OPENS_MS);
  } catch (error) {
    if (tries === 1) throw error;
    return openBy(ask, tries - 1);
  }
}

/** A modal once the bot has filled it in. A slow one first opens as "One moment". */
export function loaded(slack: World['slack'], { view: { id } }: OpenView): Promise<OpenView> {
  return slack.waitFor(() => {
    const now = slack.view(id);
    return now && !textOf(now).includes('One moment') && now;
  }, 40_000);
}

/** The modal that a command or a click opens, once the bot has filled it in. */
export async function formOf(slack: World['slack'], asked: { view(): Promise<OpenView> }): Promise<OpenView> {
  return loaded(slack, await asked.view());
}

/** The link form with the fields of a new instance. If there is no other instance, the form has them at once. */
export async function newInstanceForm(slack: World['slack'], user: Ref, form: OpenView): Promise<OpenView> {
  if (textOf(form).includes('API key:')) return form;
  await slack.clickInView({ user, view: form, action_id: 'choose_instance', value: 'new' });
  return slack.waitFor(() => {
    const now = slack.view(form.view.id);
    return now && textOf(now).includes('API key:') ? now : undefined;
  });
}

/** The words of a command's answer. */
export async function ask(world: World, text: string, where: Where = {}): Promise<string> {
  return textOf(await answerTo(world, text, where));
}

/** A command's answer. */
export async function answerTo(
  { slack }: World,
  text: string,
  { user = slack.people.member, channel = slack.channels.sales }: Where = {},
): Promise<Message | Ephemeral> {
  const command = await slack.command({ user, channel, text });
  return command.reply();
}

/** Types `/sms send …`. Resolves to the preview, which must have its Send button. */
export async function draft(world: World, words: string, where: Where = {}): Promise<Ephemeral> {
  const answer = await answerTo(world, `send ${words}`, where);
  if (!textOf(answer).includes('[Send]')) throw new Error(`no draft: ${textOf(answer)}`);
  return answer as Ephemeral;
}

/** A bot says this if it waited too long for a busy store. */
export const UNFINISHED = /its own database right now, so this was not finished/;

/** How long a store may be too slow, or away while it fails over, in ms. */
const STORE_AWAY_MS = 20_000;
const AGAIN_MS = 100;

/** As `draft`. While the bot says that it can't use its store, types the command again. */
export async function draftInTime(
  world: World,
  words: string,
  where: Where = {},
  until = performance.now() + STORE_AWAY_MS,
): Promise<Ephemeral> {
  try {
    return await draft(world, words, where);
  } catch (error) {
    if (performance.now() > until || !UNFINISHED.test(String(error))) throw error;
    await sleep(AGAIN_MS);
    return draftInTime(world, words, where, until);
  }
}

/** Presses a button of a message as it is now, as the person who sees it. */
export function press(world: World, message: Ephemeral, text: string) {
  const now = world.slack.ephemerals(message.to).find(({ ts }) => ts === message.ts) ?? message;
  return world.slack.click({ user: message.to, message: now, text });
}

/** Presses a button of a message, again while the bot says that it can't use its store. Resolves to the answer's words. */
export async function pressInTime(
  world: World,
  message: Ephemeral,
  text: string,
  until = performance.now() + STORE_AWAY_MS,
): Promise<string> {
  const click = await press(world, message, text);
  const words = textOf(await click.reply(20_000));
  if (performance.now() > until || !UNFINISHED.test(words)) return words;
  await sleep(AGAIN_MS);
  return pressInTime(world, message, text, until);
}

/** Resolves to the words of the message once it is a receipt. */
export function receiptOf({ slack }: World, { to, ts }: Ephemeral, ms = 40_000): Promise<string> {
  return slack.waitFor(() => {
    const shown = slack.ephemerals(to).find((one) => one.ts === ts);
    const text = shown ? textOf(shown) : '';
    return /\[Send\]|\*Sending\*/.test(text) ? undefined : text;
  }, ms);
}

/** Sends a text, from the command to the receipt. */
export async function sendText(world: World, words: string, where: Where = {}): Promise<string> {
  const preview = await draft(world, words, where);
  await press(world, preview, 'Send');
  return receiptOf(world, preview);
}

/** A mobile number of the United Kingdom in digits, by its place in a list. There are 100,000 of them. */
export function phoneAt(place: number): string {
  return `4477009${String(place).padStart(5, '0')}`;
}

/** The words of everything in a channel. */
export function historyOf({ slack }: World, channel: { id: string } = slack.channels.sales): string[] {
  return slack.history(channel.id).map(textOf);
}

/** The words of a person's direct messages from the bot. */
export function directOf({ slack }: World, { id }: { id: string }): string[] {
  return slack.history(slack.directMessage(id).id).map(textOf);
}

/** The same words without their times, whose digits may be those of a number. */
export function withoutTimes(words: string): string {
  return words.replaceAll(/<!date\^\d+/g, '<!date');
}

/** The texts that the service sent to a number, given in digits. */
export function arrivalsAt({ service }: World, digits: string) {
  return service.messages.filter(({ phone }) => phone.replace('+', '') === digits);
}

/** How often each number got a text, by its digits. */
export function timesTexted({ service }: World): Map<string, number> {
  const times = new Map<string, number>();
  for (const { phone } of service.messages) {
    const digits = phone.replace('+', '');
    times.set(digits, (times.get(digits) ?? 0) + 1);
  }
  return times;
}

/** Requests to send that reached the service, whether processed or not. */
export function sendRequests({ service }: World) {
  return service.requests.filter(({ endpoint }) => endpoint === 'send');
}

/** Rows of the bot's database, which is read while the bot runs. */
export function rows(world: World, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(world.dataDir, 'switchboard.db'), { readOnly: true });
  try {
    return withTables(db).prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

/**
 * Probes every 10 ms, and resolves to the first answer that is neither undefined nor false: for changes without an event.
 */
export async function eventually<T>(probe: () => T | undefined | false, ms = 40_000): Promise<T> {
  for (const until = performance.now() + ms; performance.now() < until; await sleep(10)) {
    const found = probe();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`What was waited for did not happen within ${ms} ms: ${probe}`);
}
