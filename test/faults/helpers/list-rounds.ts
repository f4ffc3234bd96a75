import { setTimeout as sleep } from 'node:timers/promises';
import Bottleneck from 'bottleneck';
import { type Channel, channel, newId, person, textOf, type User } from 'slack-playground';
import { expect } from 'vitest';
import { ACTIONS } from '../../../src/slack/ui/ids.ts';
import { type RedisServer, startRedis } from '../../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../../helpers/replicas.ts';
import { createWorld, type World } from '../../helpers/world.ts';
import { cardOf, confirmBulk, draftBulk, fileFor } from '../../helpers/world-bulk.ts';
import { eventually, link } from '../../helpers/world-steps.ts';
import { type Account, type Mode, type RefusingService, startRefusingService } from './refusing-service.ts';

/** A bot or several, with their own configuration, and a service that refuses lists. */
export interface Site {
  world: World;
  service: RefusingService;
  /** Makes one list at a time: Slack waits only 3 s for an ack. */
  desk: Bottleneck;
  close(): Promise<void>;
}

/** A channel with people of its own, who see no other lane's cards and files. */
export interface Lane extends Omit<Site, 'close'> {
  channel: Channel;
  admin: User;
  member: User;
}

/** A list to send, and what the service does with it. */
export interface AskedList {
  mode: Mode;
  count: number;
  /** The places of the bad numbers in the list. */
  bad: number[];
  /** How many credits somebody else leaves between the preview and Send. */
  creditsLeft?: number;
}

/** A job that a lane sent. */
export interface ListRound {
  account: Account;
  phones: string[];
  /** The job's numbers that the service calls bad. */
  bad: string[];
  /** The card's `ts`. */
  card: string;
  filesBefore: number;
}

/** How many rounds run at once: a round mostly waits. */
const LANES = 4;
const SETUP_TRIES = 5;
const SETTLES_MS = 90_000;
/** No job needs more Resumes: it has fewer lists. */
const MOST_RESUMES = 10;

/** Starts a site. Several bots share a Redis. */
export async function startSite(bots: number): Promise<Site> {
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of closing.toReversed()) await end();
  };
  try {
    const service = await startRefusingService({ ratePerMinute: 60 });
    closing.push(service.close);
    // An empty variable counts as not set, so the bots use their defaults.
    const env = { SMS_BASE_URL: service.url, SMS_TIMEOUT_MS: '', SMS_ATTEMPT_LEASE_MS: '', LOG_LEVEL: '' };
    const world = await createWorld({ env });
    closing.push(world.close);
    if (bots === 1) await world.start();
    else {
      const redis: RedisServer = await startRedis();
      closing.push(redis.close);
      const replicas: Replicas = await startReplicas(world, bots, { REDIS_URL: redis.url });
      closing.push(replicas.close);
    }
    return { world, service, desk: new Bottleneck({ maxConcurrent: 1 }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openLane(site: Site): Lane {
  const { slack } = site.world;
  const admin = person({ id: newId('U'), name: 'adam', is_admin: true });
  const member = person({ id: newId('U'), name: 'ana' });
  const members = [slack.bot.user_id, admin.id, member.id];
  const room = channel({ id: newId('C'), name: 'lists', members });
  for (const user of [admin, member]) slack.addUser(user);
  slack.addChannel(room);
  return { ...site, channel: room, admin, member };
}

/** Does `round` this often, a few at a time. Each call gets a lane of each site. */
export async function inLanes(
  sites: readonly Site[],
  runs: number,
  round: (lanes: Lane[]) => Promise<void>,
): Promise<void> {
  let left = runs;
  async function inTurn(): Promise<void> {
    const lanes = sites.map(openLane);
    for (; left > 0; ) {
      left -= 1;
      await round(lanes);
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(LANES, runs) }, inTurn));
  } finally {
    // After a failure, no other round begins.
    left = 0;
  }
}

/** Sends a list from its own account, like a person. */
export function sendList(lane: Lane, asked: AskedList): Promise<ListRound> {
  return lane.desk.schedule(() => makeUpAndSend(lane, asked));
}

/** Repeats a step of the set-up, which may be too slow on a busy machine. The step texts nobody, so this is safe. */
async function again<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (tries === SETUP_TRIES) throw error;
    }
  }
}

async function makeUpAndSend(lane: Lane, { mode, count, bad, creditsLeft }: AskedList): Promise<ListRound> {
  const { world, service, channel, admin, member } = lane;
  // The form takes 3,000 characters, so these are the shortest numbers possible.
  const phones = Array.from({ length: count }, (_, place) => `354691${String(place).padStart(4, '0')}`);
  const badPhones = bad.map((place) => phones[place] as string);
  const account = service.open({ mode, credits: 10 * count, badNumbers: badPhones });
  const values = { 'Low-credit threshold': '0' };
  world.slack.reload(member.id);
  const name = `Account ${account.id}`;
  await again(() => link(world, { channel, user: admin, key: account.key, name, values }));
  const before = cardOf(world, channel)?.ts;
  const filesBefore = resultsFiles(lane);
  // The list is pasted, since each file would start a thread.
  const recipients = phones.map((phone) => `+${phone}`).join('\n');
  const message = `Hello from ${name}`;
  const preview = await again(() => draftBulk(world, { channel, user: member, recipients, message }));
  if (creditsLeft !== undefined) account.credits = creditsLeft;
  await confirmBulk(world, preview);
  const card = await eventually(() => {
    const newest = cardOf(world, channel);
    return newest && newest.ts !== before && newest;
  }, SETTLES_MS);
  return { account, phones, bad: badPhones, card: card.ts, filesBefore };
}

/** Resolves once the job is paused or finished and none of its requests is in flight. */
export async function untilQuiet(lane: Lane, round: ListRound): Promise<'Paused' | 'Finished'> {
  let seen = -1;
  for (const until = performance.now() + SETTLES_MS; performance.now() < until; await sleep(100)) {
    const word = /\*(Paused|Finished)\*/.exec(cardText(lane, round))?.[1];
    const requests = round.account.requests.length;
    if (word && requests === seen) return word as 'Paused' | 'Finished';
    seen = requests;
  }
  throw new Error(`the job does not settle: ${cardText(lane, round)}`);
}

/** Presses Resume whenever the job pauses, until it is finished. Resolves with how often. */
export async function resumeToTheEnd(lane: Lane, round: ListRound): Promise<number> {
  const { channel, member } = lane;
  const { slack } = lane.world;
  for (let resumes = 0; resumes <= MOST_RESUMES; resumes += 1) {
    if ((await untilQuiet(lane, round)) === 'Finished') return resumes;
    const message = slack.history(channel.id).find(({ ts }) => ts === round.card);
    if (!message) throw new Error('the card is gone');
    await slack.click({ user: member, message, action_id: ACTIONS.resumeJob, forged: true });
    await eventually(() => !/\*Paused\*/.test(cardText(lane, round)), 2000).catch(() => undefined);
  }
  throw new Error(`the job does not end: ${cardText(lane, round)}`);
}

/** Nobody got two texts, and the card counts as unknown only those without a sure outcome. Resolves with their number. */
export async function checkRound(lane: Lane, round: ListRound): Promise<number> {
  expect(textedTwice(round), 'texted more than once').toEqual({});
  const unsure = withoutSureOutcome(round);
  const shown = () => unknownOnCard(cardText(lane, round));
  await eventually(() => shown() === unsure, 10_000).catch(() => undefined);
  expect(shown(), 'unknown on the card').toBe(unsure);
  return unsure;
}

/** Compares each row with the service: a sent text arrived once, an unknown one at most once, any other never. */
export async function checkRows(lane: Lane, round: ListRound): Promise<void> {
  await eventually(() => resultsFiles(lane) > round.filesBefore, 20_000);
  const [, ...rows] = fileFor(lane.world, lane.member, /results/) ?? [];
  const times = timesTexted(round);
  expect(rows.map(([, phone = '']) => phone.replace(/\D/g, ''))).toEqual(round.phones);
  for (const [, phone = '', outcome = ''] of rows) {
    const may = { sent: [1], unknown: [0, 1] }[outcome] ?? [0];
    expect(may, `${phone} is ${outcome}`).toContain(times.get(phone.replace(/\D/g, '')) ?? 0);
  }
}

/** How often each number got the text. */
export function timesTexted({ account }: ListRound): Map<string, number> {
  const times = new Map<string, number>();
  for (const { phone } of account.delivered) times.set(phone, (times.get(phone) ?? 0) + 1);
  return times;
}

function textedTwice(round: ListRound): { [phone: string]: number } {
  return Object.fromEntries([...timesTexted(round)].filter(([, times]) => times > 1));
}

/**
 * Counts recipients of refused lists who are in no answered one. Only a 201 is a sure outcome, or the refusal of a
 * request for nobody else.
 */
function withoutSureOutcome({ account: { requests } }: ListRound): number {
  const isSure = ({ phones, status }: (typeof requests)[number]) => status === 201 || phones.length === 1;
  const sure = new Set(requests.filter(isSure).flatMap(({ phones }) => phones));
  return new Set(requests.flatMap(({ phones }) => phones)).difference(sure).size;
}

function cardText({ world, channel }: Lane, { card }: ListRound): string {
  const message = world.slack.history(channel.id).find(({ ts }) => ts === card);
  return message ? textOf(message) : '';
}

function unknownOnCard(words: string): number {
  return Number((/\*Unknown\*\n([\d,]+)/.exec(words)?.[1] ?? '0').replaceAll(',', ''));
}

function resultsFiles({ world: { slack }, member }: Lane): number {
  const messages = slack.history(slack.directMessage(member.id).id);
  return messages.flatMap(({ files = [] }) => files).filter(({ name }) => /results/.test(name)).length;
}
