import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { aroundEach, describe } from 'vitest';
import { between, createDice } from '../helpers/dice.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../helpers/side-by-side.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import { type CopiedSite, startOnDatabase, startOnRedis } from './helpers/copied-data.ts';
import { expectNobodyTwice, outcomesOf } from './helpers/expect-true-outcomes.ts';
import { type FaultRun, IS_LONG, testFault } from './helpers/faults.ts';
import { untilWorkIsOver } from './helpers/read-ledger.ts';
import { createSurePeople } from './helpers/sure-people.ts';

const ENGINES = [
  { engine: 'the database', open: startOnDatabase, skip: false },
  { engine: 'Redis, two bots', open: startOnRedis, skip: withoutRedis },
];
const LAST_DEEDS = 40;
/** How often to try for a moment without a request. */
const COPY_TRIES = 20;

aroundEach(asOneOfMany);

describe('old copies of all work', { concurrent: !IS_LONG }, () => {
  for (const { engine, open, skip } of ENGINES) {
    testFault(
      {
        what: `careful people do anything; copies of the data, made while no request is under way, are put back, mostly without after-restore: ${engine}`,
        mustHold:
          'nobody gets a text twice, if nobody presses what says that they may; all work ends; the ledger is whole',
        runs: { short: 40, long: 1000 },
        minutes: 60,
        skip,
      },
      async (run) => {
        const site = await open();
        whenOver(() => site.close());
        await goBackAgainAndAgain(site, run);
      },
    );
  }
});

/** People do things. An operator copies the data, and puts the copy back some deeds later. */
async function goBackAgainAndAgain(site: CopiedSite, { runs, isLong, saw }: FaultRun): Promise<void> {
  const { world } = site;
  const seed = isLong ? Math.floor(Math.random() * 2 ** 32) : 7;
  const dice = createDice(seed);
  const people = createSurePeople(world, dice, { isCareful: true });
  const deeds: string[] = [];
  let copy: Copy | undefined;
  const done = { 'copies put back': 0, 'texts that waited in them': 0 };

  /** Most operators forget `after-restore`. */
  async function goBack({ file, waiting }: Copy): Promise<string> {
    const how = dice() < 0.5 ? 'stopped' : 'killed';
    const remembers = dice() < 0.3;
    const isAlone = dice() < 0.5;
    await site.end(how);
    await site.putBack(file, { isAlone });
    if (remembers) await world.runAdmin(['after-restore'], '', site.env);
    await site.start();
    done['copies put back'] += 1;
    done['texts that waited in them'] += waiting;
    return `the bots are ${how}, the copy is put back${isAlone ? ' alone' : ''}${remembers ? ', after-restore' : ''}`;
  }

  try {
    // Now and then somebody takes the undo time away. Without one, no text waits long enough for a copy.
    const keepUndoTime = () => saveLimits(world, { 'Undo time (seconds)': '2' });
    await keepUndoTime();
    for (let tries = 0; tries < runs; tries += 1) {
      // A text waits for some seconds only, so most copies would have none.
      const holdsText = !copy && dice() < 0.5 && outcomesOf(await site.ledger()).some(isWaitingText);
      if (holdsText || dice() < 0.1) {
        const made = copy;
        copy = made ? undefined : await quietCopy(site);
        deeds.push(made ? await goBack(made) : `a copy is made: ${copy !== undefined}`);
        if (made) await keepUndoTime();
      }
      deeds.push(String(await people.doSomething().catch((error: unknown) => error)));
      if (dice() < 0.3) await sleep(between(dice, 0, 300));
    }
    await untilWorkIsOver(site.ledger);
    await site.end('stopped');
    expectNobodyTwice(world.service.messages);
    expectWhole(await site.ledger());
  } catch (error) {
    throw new Error(`seed ${seed}, after:\n${deeds.slice(-LAST_DEEDS).join('\n')}`, { cause: error });
  }
  saw({ texts: world.service.messages.length, ...done });
}

interface Copy {
  file: string;
  /** How many single texts waited in it. */
  waiting: number;
}

/**
 * A copy without a request under way: it would become unknown, and an unknown text may explain any missing credit.
 * Undefined if there is always one.
 */
async function quietCopy(site: CopiedSite): Promise<Copy | undefined> {
  for (let tries = 0; tries < COPY_TRIES; tries += 1, await sleep(50)) {
    const before = await site.ledger();
    if (outcomesOf(before).some(({ state }) => state === 'sending')) continue;
    const file = await site.copy();
    if (!isDeepStrictEqual(outcomesOf(before), outcomesOf(await site.ledger()))) continue;
    return { file, waiting: outcomesOf(before).filter(isWaitingText).length };
  }
  return undefined;
}

function isWaitingText({ send, state }: ReturnType<typeof outcomesOf>[number]): boolean {
  return state === 'pending' && send.record.kind === 'single' && send.record.state === 'running';
}
