import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { arrivalsAt, link } from '../helpers/world-steps.ts';
import { testFault } from './helpers/faults.ts';
import { createLosingFront, type LosingFront, type Loss } from './helpers/losing-front.ts';
import { startTrouble } from './helpers/slack-trouble.ts';
import {
  allPosted,
  draftWork,
  sendJob,
  sendText,
  type Told,
  toldOf,
  type Work,
} from './helpers/slack-work.ts';

/** How many worlds run at once: they mostly wait. */
const AT_ONCE = 10;

interface Ended {
  told: Told;
  calls: number;
  struck: number;
  /** How long after Slack's recovery until everything was posted. */
  lateMs: number;
}

// They mostly wait.
describe.concurrent('Slack', () => {
  testFault(
    {
      what: 'Slack answers 429 to half of all calls for 5 minutes',
      mustHold: 'final card, results and receipts arrive, each once',
      runs: { short: 1, long: 20 },
    },
    async ({ runs, isLong, saw }) => {
      const forMs = isLong ? 300_000 : 5000;
      const ended = await inWorlds(runs, async (world, dice) => {
        const work = await draftWork(world, {
          texts: isLong ? 12 : 3,
          // Some jobs end during the trouble, some after it.
          recipients: isLong ? Math.round(between(dice, 60, 210)) : 8,
        });
        const longest = isLong ? 30 : 2;
        const trouble = startTrouble(world.slack, ['*'], () =>
          dice() < 0.5
            ? { kind: 'rate_limited', retryAfter: Math.ceil(between(dice, 0, longest)) }
            : undefined,
        );
        const from = world.slack.calls.length;
        await sendAll(world, work, forMs);
        trouble.stop();
        const calls = world.slack.calls.length - from;
        const lateMs = await allPosted(world, isLong ? 180_000 : 30_000);
        const told = toldOf(world, work);
        allArrived(world, work, told);
        // A 429 proves that Slack posted nothing.
        expect(copiesOf(told)).toEqual({ lines: 0, directs: 0, cards: 0, results: 0 });
        return { told, calls, struck: trouble.struck.length, lateMs };
      });
      saw(figuresOf(ended));
    },
  );

  testFault(
    {
      what: 'Slack posts and loses the answer',
      mustHold: 'final card, results and receipts arrive; a duplicate only where an answer was lost',
      runs: { short: 1, long: 20 },
    },
    async ({ runs, isLong, saw }) => {
      const ended = await inWorlds(runs, async (world, dice, front) => {
        const work = await draftWork(world, { texts: isLong ? 8 : 4, recipients: isLong ? 40 : 8 });
        const losses: Loss[] = [
          'cut',
          'internal_error',
          'server_error',
          ...(isLong ? ['hang' as const] : []),
        ];
        front.lose((method) => {
          const posts = /^chat\.(postMessage|update)$|completeUpload/.test(method);
          return posts && dice() < 0.5 ? losses[Math.floor(dice() * losses.length)] : undefined;
        });
        const trouble = startTrouble(world.slack, ['response_url'], () =>
          dice() < 0.5 ? { kind: 'lost_answer' } : undefined,
        );
        const from = world.slack.calls.length;
        await sendAll(world, work, isLong ? 30_000 : 4000);
        trouble.stop();
        front.lose(() => undefined);
        const calls = world.slack.calls.length - from;
        const lateMs = await allPosted(world, isLong ? 180_000 : 30_000);
        const told = toldOf(world, work);
        allArrived(world, work, told);
        onlyWhereLost(
          told,
          front,
          trouble.struck.map(({ args }) => String(args.text)),
        );
        return { told, calls, struck: trouble.struck.length + front.lost.length, lateMs };
      });
      saw(figuresOf(ended));
    },
  );
});

/** Does `runs` runs, each in its own world. */
async function inWorlds(
  runs: number,
  run: (world: World, dice: Dice, front: LosingFront) => Promise<Ended>,
): Promise<Ended[]> {
  const ended: Ended[] = [];
  const open = new Set<World>();
  let next = 0;
  let starting: Promise<unknown> = Promise.resolve();
  async function inTurn(): Promise<void> {
    for (let seed = next++; seed < runs; seed = next++) {
      const world = await createWorld({ env: { BULK_CHUNK_SIZE: '1' } });
      const front = await createLosingFront(world.slack);
      open.add(world);
      // The bots start one after another, since many at once would be slow.
      starting = starting.then(() => world.start({ SLACK_API_URL: front.apiUrl }));
      await starting;
      await link(world, { values: { 'Low-credit threshold': '0' } });
      ended.push(await run(world, createDice(seed), front));
      open.delete(world);
      await world.close();
      await front.close();
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs) }, inTurn));
    return ended;
  } finally {
    // If one world fails, the test does not wait for the others.
    next = runs;
    await Promise.all([...open].map((world) => world.close()));
  }
}

/** Sends the job at once, and the texts over time. */
async function sendAll(world: World, work: Work, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  await sendJob(world, work);
  for (const text of work.texts) {
    await sleep(forMs / (work.texts.length + 1));
    await sendText(world, text);
  }
  await sleep(Math.max(0, until - performance.now()));
}

function allArrived(world: World, work: Work, told: Told): void {
  for (const { phone, lines, directs, shown } of told.texts) {
    expect(arrivalsAt(world, phone), phone).toHaveLength(1);
    expect(lines, `lines about +${phone}`).toBeGreaterThanOrEqual(1);
    expect(directs > 0 || /^✅ \*Sent\*/.test(shown), `the receipt for +${phone}: ${shown}`).toBe(true);
  }
  expect(told.cards.at(-1)).toMatch(/\*Finished\*/);
  expect(told.cards.at(-1)).toContain(`*Sent*\n${work.recipients}\n`);
  expect(told.results.at(-1), JSON.stringify(told.cards)).toBe(work.recipients);
  expect(world.service.messages).toHaveLength(work.recipients + work.texts.length);
  expect(world.slack.failures).toEqual([]);
}

/** How many copies there are beyond the first of each. */
function copiesOf({ texts, cards, results }: Told) {
  return {
    lines: texts.reduce((sum, { lines }) => sum + lines - 1, 0),
    // If the receipt has replaced its draft, no direct message is needed: each one is a copy.
    directs: texts.reduce(
      (sum, { directs, shown }) => sum + directs - (/^✅ \*Sent\*/.test(shown) ? 0 : 1),
      0,
    ),
    cards: cards.length - 1,
    results: results.length - 1,
  };
}

function onlyWhereLost({ texts, cards, results }: Told, { lost }: LosingFront, lostReceipts: string[]): void {
  const lostPosts = (isIt: (words: string) => boolean) =>
    lost.filter(({ method, words }) => method === 'chat.postMessage' && isIt(words)).length;
  for (const { phone, lines, directs } of texts) {
    const isReceipt = (words: string) => words.replaceAll(' ', '').includes(`+${phone}`);
    expect(lines, `lines about +${phone}`).toBeLessThanOrEqual(
      1 + lostPosts((words) => words.includes(`···${phone.slice(-4)}`)),
    );
    const byUrl = lostReceipts.filter(isReceipt).length;
    expect(directs, `receipts for +${phone}`).toBeLessThanOrEqual((byUrl > 0 ? 1 : 0) + lostPosts(isReceipt));
  }
  expect(cards.length).toBeLessThanOrEqual(1 + lostPosts((words) => /\*(Sending|Finished)\*/.test(words)));
  const lostFiles = lost.filter(({ method }) => method === 'files.completeUploadExternal').length;
  expect(results.length).toBeLessThanOrEqual(1 + lostFiles);
}

function figuresOf(ended: Ended[]) {
  const sum = (of: (one: Ended) => number) => ended.reduce((total, one) => total + of(one), 0);
  const copies = (one: Ended) => Object.values(copiesOf(one.told)).reduce((total, count) => total + count, 0);
  return {
    'calls meanwhile': sum(({ calls }) => calls),
    'of them struck': sum(({ struck }) => struck),
    texts: sum(({ told }) => told.texts.length),
    'copies of messages, each for a lost answer': sum(copies),
    'longest until all was told, s': Math.ceil(Math.max(...ended.map(({ lateMs }) => lateMs)) / 1000),
  };
}
