import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultInput } from 'credit-sandbox';
import { aroundEach, describe } from 'vitest';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../helpers/side-by-side.ts';
import type { World, WorldOptions } from '../helpers/world.ts';
import { ACME_KEY, link } from '../helpers/world-steps.ts';
import {
  type BreakableBots,
  startForTwoWorkspaces,
  startOnForgetfulPair,
  startOnRedis,
  startOnRedisForTwoWorkspaces,
  startOnRedisPair,
  startOnSqlite,
} from './helpers/breakable-bots.ts';
import { expectNobodyTwice, expectTrueOutcomes } from './helpers/expect-true-outcomes.ts';
import { type FaultRun, IS_LONG, testFault } from './helpers/faults.ts';
import { createRandomPeople } from './helpers/random-people.ts';
import { createSurePeople } from './helpers/sure-people.ts';

/** Short time-outs, small requests, and an undo time before lists: much can happen in between. */
const WORLD: WorldOptions = {
  sandbox: { switches: { rateLimit: 100_000, refusedPhones: ['447700900404'] } },
  env: {
    SMS_RATE_LIMIT: '10000',
    SMS_TIMEOUT_MS: '600',
    SMS_ATTEMPT_LEASE_MS: '1100',
    BALANCE_POLL_MS: '1000',
    BULK_CHUNK_SIZE: '3',
    LIST_UNDO_SECONDS: '1',
    LOG_LEVEL: 'info',
  },
};
/** Texts cost nothing, so no balance shows what a store has forgotten. */
const FREE: WorldOptions = {
  ...WORLD,
  sandbox: { switches: { ...WORLD.sandbox?.switches, price: { per: 'message', credits: 0 } } },
};
/** Faults that sometimes strike a text at the service. */
const TROUBLES: readonly FaultInput['kind'][] = ['reset', 'truncate', 'server_error', 'garbage', 'hang'];
const ERASED = ['447700900103', '447700900107'];
/** An operator's commands on the server meanwhile. */
const OPERATOR = [
  ...ERASED.map((digits) => ['erase', '--phone', `+${digits}`]),
  ['rotate-keys'],
  ['status'],
  ['list-unknown'],
  ['export'],
];
/** After this many deeds, somebody puts right what people have unlinked or used up. */
const PUT_IN_ORDER_EVERY = 60;
const LAST_DEEDS = 40;

aroundEach(asOneOfMany);

describe('all faults at once', { concurrent: !IS_LONG }, () => {
  const mustHold =
    'sent arrived once, unknown at most once, all else never; all work ends; the ledger and its budgets are whole';
  const runs = { short: 40, long: 3000 };
  testFault(
    {
      what: 'people and an operator do anything, while the bot is killed, and the service and Slack lose answers: SQLite',
      mustHold,
      runs,
      minutes: 60,
    },
    (run) => doAnything(startOnSqlite, run),
  );
  testFault(
    {
      what: 'people of two workspaces and an operator do anything, while the bot is killed, and the service and Slack lose answers: SQLite',
      mustHold,
      runs,
      minutes: 60,
    },
    (run) => doAnything(startForTwoWorkspaces, run),
  );
  testFault(
    {
      what: 'people and an operator do anything, while bots are killed and stopped, Redis stands still, and the service and Slack lose answers: Redis, three bots',
      mustHold,
      runs,
      minutes: 60,
      skip: withoutRedis,
    },
    (run) => doAnything(startOnRedis, run),
  );
  testFault(
    {
      what: 'people of two workspaces and an operator do anything, while bots are killed and stopped, Redis stands still, and the service and Slack lose answers: Redis, three bots',
      mustHold,
      runs,
      minutes: 60,
      skip: withoutRedis,
    },
    (run) => doAnything(startOnRedisForTwoWorkspaces, run),
  );
  testFault(
    {
      what: 'people and an operator do anything, while bots are killed and stopped, Redis fails over, and the service and Slack lose answers: three bots, REDIS_REPLICAS=1',
      mustHold,
      runs,
      minutes: 60,
      skip: withoutRedis,
    },
    (run) => doAnything(startOnRedisPair, run),
  );
  testFault(
    {
      what: 'careful people send free texts, while bots are killed and stopped, and Redis fails over and forgets: three bots, without REDIS_REPLICAS',
      mustHold:
        'nobody gets a text twice, if nobody presses what says that they may; all work ends; the ledger is whole',
      runs: { short: 40, long: 1000 },
      minutes: 60,
      skip: withoutRedis,
    },
    (run) => doAnything(startOnForgetfulPair, run, { forgets: true }),
  );
});

async function doAnything(
  start: (options: WorldOptions) => Promise<BreakableBots>,
  { runs, isLong, saw }: FaultRun,
  { forgets = false } = {},
): Promise<void> {
  const bots = await start(forgets ? FREE : WORLD);
  whenOver(() => bots.close());
  const { worlds } = bots;
  const [world] = worlds;
  const { service } = world;
  const seed = isLong ? Math.floor(Math.random() * 2 ** 32) : 7;
  const dice = createDice(seed);
  const people = createRandomPeople(world, dice);
  const surePeople = worlds.map((each) => createSurePeople(each, dice, { isCareful: forgets }));
  const deeds: string[] = [];
  const broken: { [what: string]: number } = {};
  try {
    for (let tries = 0; tries < runs; tries += 1) {
      if (tries % PUT_IN_ORDER_EVERY === 0) for (const each of worlds) await putInOrder(each);
      if (dice() < 0.1) troubleService(world, dice);
      if (dice() < 0.02) pickOf(dice, worlds).slack.fault({ method: '*', fault: { kind: 'lost_answer' } });
      if (dice() < 0.02) deeds.push(await bots.operate(pickOf(dice, OPERATOR)));
      if (dice() < (forgets ? 0.2 : 0.05)) {
        const what = await bots.breakSomething(dice);
        if (what) {
          broken[what] = (broken[what] ?? 0) + 1;
          deeds.push(what);
        }
      }
      // A dead or frozen bot answers nobody.
      const doSomething =
        forgets || dice() < 0.6
          ? pickOf(dice, surePeople).doSomething
          : async () => (await people.doSomething())?.what;
      deeds.push(String(await doSomething().catch((error: unknown) => error)));
      if (dice() < 0.3) await sleep(between(dice, 0, 100));
    }
    service.clearFaults();
    for (const { slack } of worlds) slack.clearFaults();
    const ledger = await bots.end();
    if (forgets) expectNobodyTwice(service.messages);
    else expectTrueOutcomes(ledger, service.messages, ERASED);
    expectWhole(ledger);
  } catch (error) {
    throw new Error(`seed ${seed}, after:\n${deeds.slice(-LAST_DEEDS).join('\n')}`, { cause: error });
  }
  saw({ texts: service.messages.length, ...broken });
}

function pickOf<T>(dice: Dice, list: readonly T[]): T {
  return list[Math.floor(between(dice, 0, list.length))] as T;
}

async function putInOrder(world: World): Promise<void> {
  const { slack, service } = world;
  service.clearFaults();
  service.setCredits(1, 1000);
  for (const { id } of Object.values(slack.people)) {
    const view = slack.views(id).at(-1);
    if (view) await slack.closeView({ user: id, view, all: true });
  }
  // If a bot dies meanwhile, this fails, and the next call does it.
  await link(world, { user: slack.people.owner, key: ACME_KEY }).catch(() => undefined);
}

function troubleService({ service }: World, dice: Dice): void {
  const kind = pickOf(dice, TROUBLES);
  if (dice() < 0.8) service.addFault({ kind, endpoint: 'texts' } as FaultInput);
  else service.setCredits(1, Math.floor(between(dice, 0, 1000)));
}
