import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultInput } from 'credit-sandbox';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { createWorld, SHORT_WAITS, type World } from '../helpers/world.ts';
import { ACME_KEY, BIRCH_KEY, link } from '../helpers/world-steps.ts';
import { testFault } from './helpers/faults.ts';
import { createRandomPeople, type Deed } from './helpers/random-people.ts';
import { readLedger, untilWorkIsOver } from './helpers/read-ledger.ts';

/** Faults that sometimes strike the next text at the service. */
const TROUBLES: readonly FaultInput['kind'][] = [
  'reset',
  'truncate',
  'server_error',
  'garbage',
  'hang',
  'no_credits',
];
/** Slack says this if a person closed the form, or opened another, before the answer came. */
const FORM_IS_GONE = 'not_found';

describe('people who press everything that they see', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({
      sandbox: { switches: { rateLimit: 100_000, refusedPhones: ['447700900404'] } },
      env: { ...SHORT_WAITS, SMS_RATE_LIMIT: '10000', LIST_UNDO_SECONDS: '1', LOG_LEVEL: 'info' },
    });
    await world.start();
  });
  afterAll(() => world?.close());

  testFault(
    {
      what: 'people of all kinds type, press, choose and submit at random, while the service loses answers',
      mustHold:
        'every text arrives as often as it was decided at most; each deed is acknowledged; nothing breaks; Slack takes every answer; the ledger is whole',
      runs: { short: 150, long: 5000 },
    },
    async ({ runs, isLong, saw }) => {
      const seed = isLong ? Math.floor(Math.random() * 2 ** 32) : 7;
      const dice = createDice(seed);
      const people = createRandomPeople(world, dice);
      const trail: string[] = [];
      try {
        for (let tries = 0; tries < runs; tries += 1) {
          if (tries % 200 === 0) await relink(world);
          if (dice() < 0.06) somethingHappens(world, dice);
          const deed = await people.doSomething();
          if (!deed) continue;
          trail.push(deed.what);
          expectTaken(deed);
          if (dice() < 0.3) await sleep(between(dice, 0, 100));
        }
        world.service.clearFaults();
        await untilWorkIsOver(() => readLedger(world.dataDir));
        for (const [arrival, times] of arrivals(world)) {
          // A shortcut on a message makes a text of that message's words.
          if (!people.wrote(arrival)) continue;
          expect(times, arrival).toBeLessThanOrEqual(people.decided(arrival));
        }
        // The log's end comes when the bot ends.
        await world.stop();
        expectNothingBroke(world);
        expectWhole(readLedger(world.dataDir));
      } catch (error) {
        throw new Error(`seed ${seed}, after:\n${trail.slice(-40).join('\n')}`, { cause: error });
      }
      saw({ texts: world.service.messages.length, 'different deeds': new Set(trail.map(kindOf)).size });
    },
  );
});

/** Somebody puts right what people have unlinked or used up. */
async function relink(world: World): Promise<void> {
  world.service.clearFaults();
  world.service.setCredits(1, 1000);
  for (const user of Object.values(world.slack.people)) {
    const view = world.slack.views(user.id).at(-1);
    if (view) await world.slack.closeView({ user, view, all: true });
  }
  await link(world, { user: world.slack.people.owner, key: ACME_KEY });
}

function somethingHappens({ service }: World, dice: Dice): void {
  const kind = TROUBLES[Math.floor(between(dice, 0, TROUBLES.length))] ?? 'reset';
  if (dice() < 0.8) service.addFault({ kind, endpoint: 'texts' } as FaultInput);
  else service.setCredits(1, Math.floor(between(dice, 0, 1000)));
}

/** Slack's client sends nothing if a required field is empty: then there is no status. */
function expectTaken({ what, status, toast }: Deed): void {
  expect([200, null], what).toContain(status);
  expect([null, FORM_IS_GONE], what).toContain(toast);
}

function expectNothingBroke({ slack, output }: World): void {
  const errors = output()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line));
  expect(errors).toEqual([]);
  for (const secret of [ACME_KEY, BIRCH_KEY]) expect(output()).not.toContain(secret);
  expect(slack.failures.filter(({ error }) => error !== FORM_IS_GONE)).toEqual([]);
  expect(slack.warnings).toEqual([]);
  const shown = [
    ...Object.values(slack.people).flatMap(({ id }) => slack.ephemerals(id)),
    ...slack.conversations().flatMap(({ id }) => slack.history(id)),
  ].map(textOf);
  expect(shown.filter((words) => words.includes('went wrong in Switchboard'))).toEqual([]);
}

/** How often each text went to each number. */
function arrivals({ service }: World): Map<string, number> {
  const times = new Map<string, number>();
  for (const { phone, text } of service.messages) {
    const arrival = `${text} to ${phone}`;
    times.set(arrival, (times.get(arrival) ?? 0) + 1);
  }
  return times;
}

/** A deed without the typed words. */
function kindOf(deed: string): string {
  return deed.replace(/ with .*| types .*/s, '');
}
