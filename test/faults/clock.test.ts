import { afterAll, beforeAll, expect } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../helpers/core-world.ts';
import { createDice, type Dice } from '../helpers/dice.ts';
import { testFault } from './helpers/faults.ts';
import { createPollStory, DEATHS, type PollStory } from './helpers/poll-story.ts';
import { createVirtualTime } from './helpers/virtual-time.ts';

const POLL_MS = 20_000;
const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Figures around both thresholds (40 and 100) and zero. */
const FIGURES = [0, 1, 39, 40, 41, 70, 99, 100, 101, 500];
/** Figures above both thresholds, between them, and below. */
const APART = [500, 70, 5];
/** The service counts requests by real time, and a story's quarter of an hour lasts a real second. */
const UNHURRIED = { sandbox: { switches: { rateLimit: 100_000 } } };
/** A clock in local time jumps by an hour when summer time begins or ends. */
const JUMPS = [SECOND, 7 * SECOND, 59 * SECOND, 5 * 60 * SECOND, HOUR, HOUR, 8 * HOUR, DAY];

/** A minute before summer time begins or ends, a leap day, a new year, or 2^31 seconds. */
const BEFORE = [
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 9, 25, 1),
  Date.UTC(2028, 1, 29),
  Date.UTC(2027, 0, 1),
  Date.UTC(2038, 0, 19, 3, 14, 8),
].map((moment) => moment - 60 * SECOND);

const zoneBefore = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/London';
  expect(new Date(BEFORE[1] as number).getHours()).toBe(1);
  expect(new Date((BEFORE[1] as number) + HOUR).getHours()).toBe(1);
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

const STEPS = 40;

testFault(
  {
    what: 'The clock jumps by up to a day, summer time begins and ends, the bot dies and starts over a poll',
    mustHold:
      'each channel reads one warning an episode, when a poll or an answer has shown it; no poll early, none missing',
    runs: { short: 6, long: 50 },
  },
  async (run) => {
    const total = { polls: 0, cards: 0, deaths: 0, starts: 0, jumps: 0 };
    for (let seed = 1; seed <= run.runs; seed += 1) {
      const dice = createDice(seed * 7919);
      const time = createVirtualTime(BEFORE[seed % BEFORE.length] as number);
      // The store and core use the story's clock. Nobody moves it through the world's own methods.
      const world: CoreWorld = {
        ...(await createCoreWorld(UNHURRIED)),
        time: time as unknown as CoreWorld['time'],
      };
      const story = await createPollStory(world, time, POLL_MS);
      try {
        for (let step = 0; step < STEPS; step += 1) total.jumps += await oneStep(story, dice, time.pass);
        story.dieAt(undefined);
        if (!story.isAlive()) await story.start();
        await story.advance(2 * POLL_MS);
        expect(story.wrongPolls()).toEqual([]);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
      await story.stop();
      for (const name of ['polls', 'cards', 'deaths', 'starts'] as const) total[name] += story.seen[name];
    }
    run.saw({
      polls: total.polls,
      cards: total.cards,
      'clocks set': total.jumps,
      starts: total.starts,
      'of them after a kill': total.deaths,
    });
  },
);

/** Something happens, and then time passes. Resolves with how many clocks somebody set. */
async function oneStep(story: PollStory, dice: Dice, pass: (ms: number) => void): Promise<number> {
  let jumps = 0;
  const jump = () => {
    jumps += 1;
    story.setWall(pick(dice, JUMPS) * (dice() < 0.5 ? -1 : 1));
  };
  const happening = dice();
  if (happening < 0.35) story.setCredits(pick(dice, FIGURES));
  else if (happening < 0.5) jump();
  else if (happening < 0.55) story.suspend(pick(dice, JUMPS));
  else if (happening < 0.65) await story.ask();
  else if (happening < 0.72) await story.stop();
  else if (happening < 0.8) story.kill();
  else {
    story.dieAt(pick(dice, DEATHS));
    // A new figure makes a warning, which the bot decides and posts.
    story.setCredits(pick(dice, APART));
  }

  if (story.isAlive()) await story.advance(dice() < 0.3 ? POLL_MS : dice() * 2.5 * POLL_MS);
  if (!story.isAlive()) {
    if (dice() < 0.5) jump();
    // A decided card has the figure of its time. While a card is owed, a new figure would change it.
    if (dice() < 0.5 && !story.owesCard()) story.setCredits(pick(dice, FIGURES));
    pass(dice() * 1.5 * POLL_MS);
    await story.start();
  }
  return jumps;
}

function pick<T>(dice: Dice, from: readonly T[]): T {
  return from[Math.floor(dice() * from.length)] as T;
}
