import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { textOf } from '../../src/playground/render.ts';
import { ACTIONS } from '../../src/slack/ids.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { cardSaying } from '../helpers/world-bulk.ts';
import { type CopiedSite, startOnDatabase, startOnRedis } from './helpers/copied-data.ts';
import { arrivalsOf, beginJob, type FaultJob, textRequests } from './helpers/fault-jobs.ts';
import { testFault } from './helpers/faults.ts';

const RECIPIENTS = 300;
/** More than are in flight at a time: the copy misses some for sure. */
const A_MOMENT = 20;
/** Nothing more may leave for so long after the job has paused, in ms: longer than any retry and any lease. */
const STILL_MS = 4000;

const ENGINES = [
  { engine: 'the database', open: startOnDatabase, skip: false },
  { engine: 'Redis, two bots', open: startOnRedis, skip: withoutRedis },
];

const WAYS = [
  { what: 'is put back after the bot was stopped', how: 'stopped', isOld: true },
  { what: 'is put back seconds later, after the bot was stopped', how: 'stopped', isOld: false },
  { what: 'is put back seconds later, after a kill -9', how: 'killed', isOld: false },
] as const;

describe.each(ENGINES)('$engine', ({ engine, open, skip }) => {
  let site: CopiedSite;
  let jobs = 0;
  beforeAll(async () => {
    if (!skip) site = await open();
  }, 60_000);
  afterAll(() => site?.close());

  /** A job of which a copy is made; it goes on until `more` of its requests have followed, and then the bots end. */
  async function copied(
    dice: Dice,
    { how, more }: { how: 'stopped' | 'killed'; more: number },
  ): Promise<{ job: FaultJob; copy: string }> {
    const { world } = site;
    jobs += 1;
    const before = textRequests(world).length;
    const job = await beginJob(world, `Copied ${engine} ${jobs}`, RECIPIENTS);
    const after = (requests: number) =>
      expect.poll(() => textRequests(world).length, { timeout: 20_000 }).toBeGreaterThan(before + requests);
    const at = Math.floor(between(dice, 5, 40));
    await after(at);
    const copy = await site.copy();
    await after(at + more);
    await site.end(how);
    return { job, copy };
  }

  function textedTwice({ text }: FaultJob): string[] {
    return [...arrivalsOf(site.world, text)].filter(([, times]) => times > 1).map(([phone]) => phone);
  }

  /** The job has paused, and nothing leaves. Resolves with its card. */
  async function held(job: FaultJob, words: RegExp, requests: () => number): Promise<string> {
    const card = textOf(await cardSaying(site.world, words, 30_000));
    await sleep(STILL_MS);
    expect(requests()).toBe(0);
    expect(textedTwice(job)).toEqual([]);
    return card;
  }

  async function stopTheJob(): Promise<void> {
    const { world } = site;
    const { slack } = world;
    const message = await cardSaying(world, /\*Paused\*/);
    await slack.click({ user: slack.people.member, message, action_id: ACTIONS.stopJob, forged: true });
    await cardSaying(world, /\*Stopped\*/);
  }

  for (const [place, { what, how, isOld }] of WAYS.entries()) {
    testFault(
      {
        what: `a copy of the data, made while a job runs, ${what}: ${engine}`,
        mustHold:
          'nothing is sent before a person presses Resume; the card says how many credits are missing',
        runs: { short: 1, long: 200 },
        minutes: 180,
        skip,
      },
      async ({ runs, saw }) => {
        const dice = createDice(place);
        let missing = 0;
        for (let run = 0; run < runs; run += 1) {
          const { job, copy } = await copied(dice, { how, more: isOld ? A_MOMENT + 30 : A_MOMENT });
          await site.putBack(copy);
          // The service may still be at work on what a killed bot has sent.
          const from = performance.now();
          await site.start();
          const later = () => textRequests(site.world).filter(({ monotonicMs }) => monotonicMs > from).length;
          const card = await held(job, /\*Paused\*[\s\S]*credits are missing/, later);
          const credits = figure(card, /([\d,]+) credits are missing/);
          const known = figure(card, /([\d,]+) sent/) + figure(card, /([\d,]+) unknown/);
          // Those of the run before count too, as long as its unknown texts have no evidence.
          expect(credits).toBeGreaterThanOrEqual(arrivalsOf(site.world, job.text).size - known);
          missing += credits;
          await stopTheJob();
        }
        saw({ 'credits missing': missing });
      },
    );
  }

  testFault(
    {
      what: `a copy of the data, made while a job runs, is put back where texts are free, then after-restore: ${engine}`,
      mustHold: 'nothing is sent before a person presses Resume; the card says why',
      runs: { short: 1, long: 200 },
      minutes: 180,
      skip,
    },
    async ({ runs, saw }) => {
      const dice = createDice(WAYS.length);
      let texts = 0;
      site.world.service.setSwitches({ price: { per: 'message', credits: 0 } });
      for (let run = 0; run < runs; run += 1) {
        const { job, copy } = await copied(dice, { how: 'stopped', more: A_MOMENT });
        await site.putBack(copy);
        const { code, stdout, stderr } = await site.world.runAdmin(['after-restore'], '', site.env);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toMatch(
          /^Jobs paused: 1 · paused before: 0 · texts cancelled: 0 · drafts expired: 0\./,
        );
        const from = performance.now();
        await site.start();
        const later = () => textRequests(site.world).filter(({ monotonicMs }) => monotonicMs > from).length;
        await held(job, /\*Paused\*[\s\S]*older copy of the data/, later);
        texts += arrivalsOf(site.world, job.text).size;
        await stopTheJob();
      }
      site.world.service.setSwitches({ price: { per: 'message', credits: 1 } });
      saw({ 'texts sent before': texts });
    },
  );
});

function figure(text: string, pattern: RegExp): number {
  return Number((pattern.exec(text)?.[1] ?? '0').replaceAll(',', ''));
}
