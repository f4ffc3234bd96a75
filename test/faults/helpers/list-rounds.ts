import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { textOf } from '../../../src/playground/render.ts';
import { ACTIONS } from '../../../src/slack/ids.ts';
import { type RedisServer, startRedis } from '../../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../../helpers/replicas.ts';
import { createWorld, type World } from '../../helpers/world.ts';
import { cardOf, confirmBulk, draftBulk, fileFor } from '../../helpers/world-bulk.ts';
import { eventually, link } from '../../helpers/world-steps.ts';
import { type Account, type Mode, type RefusingService, startRefusingService } from './refusing-service.ts';

/** One bot or several with their own configuration, and a service that refuses lists. */
export interface Site {
  world: World;
  service: RefusingService;
  close(): Promise<void>;
}

/** A job that was sent through a site. */
export interface ListRound {
  account: Account;
  phones: string[];
  /** Those of them that the service takes for bad. */
  bad: string[];
  /** The card's `ts`. */
  card: string;
  filesBefore: number;
}

const SETTLES_MS = 90_000;
/** More than a job has lists. */
const MOST_RESUMES = 10;

/** Starts it; several bots share a Redis. */
export async function startSite(bots: number): Promise<Site> {
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of closing.toReversed()) await end();
  };
  try {
    const service = await startRefusingService({ ratePerMinute: 60 });
    closing.push(service.close);
    // An empty variable counts as not set: the bots run with their defaults.
    const env = { SMS_BASE_URL: service.url, SMS_TIMEOUT_MS: '', LEASE_MS: '', LOG_LEVEL: '' };
    const world = await createWorld({ env });
    closing.push(world.close);
    if (bots === 1) await world.start();
    else {
      const redis: RedisServer = await startRedis();
      closing.push(redis.close);
      const replicas: Replicas = await startReplicas(world, bots, { REDIS_URL: redis.url });
      closing.push(replicas.close);
    }
    return { world, service, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Sends a list of `count` from an account of its own, as a person does. `bad`: places of the bad numbers in the list.
 * `creditsLeft`: what somebody else leaves of the credits between the preview and Send.
 */
export async function sendList(
  { world, service }: Site,
  { mode, count, bad, creditsLeft }: { mode: Mode; count: number; bad: number[]; creditsLeft?: number },
): Promise<ListRound> {
  const phones = Array.from({ length: count }, (_, place) => `447700900${String(place).padStart(3, '0')}`);
  const badPhones = bad.map((place) => phones[place] as string);
  const account = service.open({ mode, credits: 10 * count, badNumbers: badPhones });
  const values = { 'Low-credit threshold': '0' };
  const name = `Account ${account.id}`;
  await link(world, { key: account.key, name, values });
  const before = cardOf(world)?.ts;
  const filesBefore = resultsFiles(world);
  const bytes = ['phone', ...phones.map((phone) => `+${phone}`)].join('\n');
  const preview = await draftBulk(world, {
    file: { name: 'list.csv', bytes },
    message: `Hello from ${name}`,
  });
  if (creditsLeft !== undefined) account.credits = creditsLeft;
  await confirmBulk(world, preview);
  const card = await eventually(() => {
    const newest = cardOf(world);
    return newest && newest.ts !== before && newest;
  }, SETTLES_MS);
  return { account, phones, bad: badPhones, card: card.ts, filesBefore };
}

/** Resolves once the job is paused or finished and none of its requests is on its way. */
export async function untilQuiet({ world }: Site, round: ListRound): Promise<'Paused' | 'Finished'> {
  let seen = -1;
  for (const until = performance.now() + SETTLES_MS; performance.now() < until; await sleep(100)) {
    const word = /\*(Paused|Finished)\*/.exec(cardText(world, round))?.[1];
    const requests = round.account.requests.length;
    if (word && requests === seen) return word as 'Paused' | 'Finished';
    seen = requests;
  }
  throw new Error(`the job does not settle: ${cardText(world, round)}`);
}

/** Somebody presses Resume whenever the job pauses, until it is finished. Resolves with how often. */
export async function resumeToTheEnd(site: Site, round: ListRound): Promise<number> {
  const { slack } = site.world;
  const user = slack.people.member;
  const channel = slack.channels.sales.id;
  for (let resumes = 0; resumes <= MOST_RESUMES; resumes += 1) {
    if ((await untilQuiet(site, round)) === 'Finished') return resumes;
    const message = slack.history(channel).find(({ ts }) => ts === round.card);
    if (!message) throw new Error('the card is gone');
    await slack.click({ user, message, action_id: ACTIONS.resumeJob, forged: true });
    await eventually(() => !/\*Paused\*/.test(cardText(site.world, round)), 2000).catch(() => undefined);
  }
  throw new Error(`the job does not end: ${cardText(site.world, round)}`);
}

/** Nobody was texted twice, and the card counts as unknown just those without a sure outcome. How many those are. */
export async function checkRound({ world }: Site, round: ListRound): Promise<number> {
  expect(textedTwice(round), 'texted more than once').toEqual({});
  const unsure = withoutSureOutcome(round);
  await expect
    .poll(() => unknownOnCard(cardText(world, round)), { message: 'unknown on the card', timeout: 10_000 })
    .toBe(unsure);
  return unsure;
}

/** Each row of the results says what the service knows: sent is once, unknown is at most once, the rest is never. */
export async function checkRows({ world }: Site, round: ListRound): Promise<void> {
  await eventually(() => resultsFiles(world) > round.filesBefore, 20_000);
  const [, ...rows] = fileFor(world, world.slack.people.member, /results/) ?? [];
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
 * Recipients of refused lists who are in no answered one: only a 201, or the refusal of a request for nobody else, is
 * a sure outcome.
 */
function withoutSureOutcome({ account: { requests } }: ListRound): number {
  const isSure = ({ phones, status }: (typeof requests)[number]) => status === 201 || phones.length === 1;
  const sure = new Set(requests.filter(isSure).flatMap(({ phones }) => phones));
  return new Set(requests.flatMap(({ phones }) => phones)).difference(sure).size;
}

function cardText({ slack }: World, { card }: ListRound): string {
  const message = slack.history(slack.channels.sales.id).find(({ ts }) => ts === card);
  return message ? textOf(message) : '';
}

function unknownOnCard(words: string): number {
  return Number((/([\d,]+) unknown/.exec(words)?.[1] ?? '0').replaceAll(',', ''));
}

function resultsFiles({ slack }: World): number {
  const messages = slack.history(slack.directMessage(slack.people.member.id).id);
  return messages.flatMap(({ files = [] }) => files).filter(({ name }) => /results/.test(name)).length;
}
