import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import Bottleneck from 'bottleneck';
import { textOf } from 'slack-playground';
import { describe, expect } from 'vitest';
import { ACTIONS } from '../../src/slack/ui/ids.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { eventually } from '../helpers/world-steps.ts';
import { type CopiedSite, startOnDatabase, startOnRedis } from './helpers/copied-data.ts';
import { arrivalsOf, textRequests } from './helpers/fault-jobs.ts';
import { testFault } from './helpers/faults.ts';

/** Few enough for the form: a file would start a thread. */
const RECIPIENTS = Array.from({ length: 200 }, (_, place) => `+447700900${String(place).padStart(3, '0')}`);
/** How many sites of a fault run at once: a round mostly waits. */
const SITES = 2;
/** The work between waits runs in one site a core, since more would make every bot late. */
const working = new Bottleneck({ maxConcurrent: availableParallelism() });
/** Bots that were ended start again before other sites begin. */
const FIRST = { priority: 0 };
/** More requests than are in flight at a time, so the copy surely misses some. */
const A_MOMENT = 20;
/** After the pause, the bots may send nothing for this time, in ms: longer than any retry and any lease. */
const STILL_MS = 5000;

const ENGINES = [
  { engine: 'the database', open: startOnDatabase, skip: false },
  { engine: 'Redis, two bots', open: startOnRedis, skip: withoutRedis },
];

/** How the bot ends, and how many requests at most may follow the copy before that. */
const WAYS = [
  { what: 'is put back after the bot was stopped', how: 'stopped', mostMore: A_MOMENT + 30 },
  { what: 'is put back seconds later, after a kill -9', how: 'killed', mostMore: A_MOMENT },
] as const;

describe.concurrent.each(ENGINES)('$engine', ({ engine, open, skip }) => {
  let jobs = 0;

  /** Does `round` this often, on several sites. */
  async function inSites(runs: number, round: (site: CopiedSite) => Promise<void>): Promise<void> {
    let left = runs;
    async function inTurn(): Promise<void> {
      const site = await working.schedule(open);
      try {
        for (; left > 0; ) {
          left -= 1;
          await round(site);
        }
      } finally {
        // After a failure, no other round begins.
        left = 0;
        await site.close();
      }
    }
    await Promise.all(Array.from({ length: Math.min(SITES, runs) }, inTurn));
  }

  /** Makes a copy while a job runs; resolves after `more` of its requests. */
  async function copied(
    { world, copy }: CopiedSite,
    { at, more }: { at: number; more: number },
  ): Promise<{ text: string; copy: string }> {
    jobs += 1;
    const text = `Copied ${engine} ${jobs}`;
    const before = textRequests(world).length;
    const after = (requests: number) => eventually(() => textRequests(world).length > before + requests);
    const recipients = RECIPIENTS.join('\n');
    await confirmBulk(world, await draftBulk(world, { recipients, message: text }));
    await after(at);
    const made = await copy();
    await after(at + more);
    return { text, copy: made };
  }

  /**
   * Makes a copy while a job runs, ends the bots and puts the copy back. Then starts the bots again, at `from` by the
   * steady clock. `text` is the job's.
   */
  async function goBack(
    site: CopiedSite,
    dice: Dice,
    {
      how,
      more,
      isAlone = false,
      beforeStart,
    }: { how: 'stopped' | 'killed'; more: number; isAlone?: boolean; beforeStart?: () => Promise<void> },
  ): Promise<{ text: string; from: number }> {
    const at = Math.floor(between(dice, 5, 40));
    const { text, copy } = await working.schedule(() => copied(site, { at, more }));
    await site.end(how);
    await site.putBack(copy, { isAlone });
    return working.schedule(FIRST, async () => {
      await beforeStart?.();
      // The service may still work on requests of a killed bot.
      const from = performance.now();
      await site.start();
      return { text, from };
    });
  }

  function textedTwice({ world }: CopiedSite, text: string): string[] {
    return [...arrivalsOf(world, text)].filter(([, times]) => times > 1).map(([phone]) => phone);
  }

  /** The job pauses, and nothing was sent since `from`. Resolves with the job's card. */
  async function held(
    site: CopiedSite,
    { text, from }: { text: string; from: number },
    words: RegExp,
  ): Promise<string> {
    const card = textOf(await cardSaying(site.world, words));
    await sleep(STILL_MS);
    const later = textRequests(site.world).filter(({ monotonicMs }) => monotonicMs > from);
    expect(later.length).toBe(0);
    expect(textedTwice(site, text)).toEqual([]);
    return card;
  }

  async function afterRestore({ world, env }: CopiedSite): Promise<void> {
    const { code, stdout, stderr } = await world.runAdmin(['after-restore'], '', env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Jobs paused: 1 · paused before: 0 · texts cancelled: 0 · drafts expired: 0\./);
  }

  async function stopTheJob({ world }: CopiedSite): Promise<void> {
    const { slack } = world;
    const message = await cardSaying(world, /\*Paused\*/);
    await slack.click({ user: slack.people.member, message, action_id: ACTIONS.stopJob, forged: true });
    await cardSaying(world, /\*Stopped\*/);
  }

  for (const [place, { what, how, mostMore }] of WAYS.entries()) {
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
        await inSites(runs, async (site) => {
          const more = Math.floor(between(dice, A_MOMENT, mostMore));
          const job = await goBack(site, dice, { how, more });
          const card = await held(site, job, /\*Paused\*[\s\S]*credits are missing/);
          const credits = figure(card, /([\d,]+) credits are missing/);
          const known = figure(card, /\*Sent\*\n([\d,]+)/) + figure(card, /\*Unknown\*\n([\d,]+)/);
          // The run before counts too, as long as its unknown texts have no evidence.
          expect(credits).toBeGreaterThanOrEqual(arrivalsOf(site.world, job.text).size - known);
          missing += credits;
          await stopTheJob(site);
        });
        saw({ 'credits missing': missing });
      },
    );
  }

  const ofFreeTexts = [
    { what: 'then after-restore', isAlone: false, long: 200 },
    { what: 'without the file that holds the mark', isAlone: true, long: 60 },
  ];
  for (const { what, isAlone, long } of ofFreeTexts) {
    testFault(
      {
        what: `a copy of the data, made while a job runs, is put back where texts are free, ${what}: ${engine}`,
        mustHold: 'nothing is sent before a person presses Resume; the card says why',
        runs: { short: 1, long },
        minutes: 180,
        skip,
      },
      async ({ runs, saw }) => {
        const dice = createDice(WAYS.length);
        let texts = 0;
        await inSites(runs, async (site) => {
          site.world.service.setSwitches({ price: { per: 'message', credits: 0 } });
          const beforeStart = isAlone ? undefined : () => afterRestore(site);
          const job = await goBack(site, dice, {
            ...{ how: 'stopped' as const, more: A_MOMENT, isAlone },
            ...(beforeStart && { beforeStart }),
          });
          await held(site, job, /\*Paused\*[\s\S]*may lack texts that were sent/);
          texts += arrivalsOf(site.world, job.text).size;
          await stopTheJob(site);
        });
        saw({ 'texts sent before': texts });
      },
    );
  }
});

function figure(text: string, pattern: RegExp): number {
  return Number((pattern.exec(text)?.[1] ?? '0').replaceAll(',', ''));
}
