import { afterAll, beforeAll, describe, expect } from 'vitest';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { withoutRedis } from '../helpers/redis-server.ts';
import { testFault } from './helpers/faults.ts';
import {
  checkRound,
  checkRows,
  inLanes,
  resumeToTheEnd,
  type Site,
  sendList,
  startSite,
  timesTexted,
  untilQuiet,
} from './helpers/list-rounds.ts';
import type { Mode } from './helpers/refusing-service.ts';

const PLAIN: Mode = { status: 422, sends: 'first_part', charge: 'at_once', price: 1, balanceLagMs: 0 };
/** Enough for three requests. The form takes 3,000 characters. */
const MANY = 250;
/** A charge this late comes after the bot's first look at the balance, or after its look for evidence; ms. */
const LATE_MS = [300, 20_000] as const;

interface Way {
  /** The service's behaviour, in words for the page. */
  what: string;
  mode: (dice: Dice) => Mode;
  /** Whether the credits end within the list. Otherwise the list has bad numbers. */
  runsShort?: boolean;
}

const WAYS: Way[] = [
  { what: 'sends nothing of it', mode: () => ({ ...PLAIN, sends: 'nothing' }) },
  { what: 'charges the part that it sent', mode: () => PLAIN },
  {
    what: 'rolls back the charge of the part that it sent',
    mode: () => ({ ...PLAIN, charge: 'never' }),
  },
  {
    what: 'charges the part that it sent later',
    mode: (dice) => ({ ...PLAIN, charge: { afterMs: between(dice, ...LATE_MS) } }),
  },
  {
    what: 'shows the charge of the part that it sent later',
    mode: (dice) => ({ ...PLAIN, balanceLagMs: between(dice, ...LATE_MS) }),
  },
  { what: 'sends a part of it, for free', mode: () => ({ ...PLAIN, price: 0 }) },
  { what: 'sends a part of it, then says 403', mode: () => ({ ...PLAIN, status: 403, charge: 'never' }) },
  {
    what: 'sends a part of it, then says 400, 404, 409 or 413',
    mode: (dice) => {
      const status = [400, 404, 409, 413][Math.floor(dice() * 4)] as number;
      return { ...PLAIN, status, charge: 'never' };
    },
  },
  {
    what: 'sends what the credits cover, says 402 and rolls back the charge',
    mode: () => ({ ...PLAIN, charge: 'never' }),
    runsShort: true,
  },
  { what: 'sends what the credits cover, then says 402', mode: () => PLAIN, runsShort: true },
];

describe.skipIf(withoutRedis).concurrent('a list is refused, with one bot and with three', () => {
  let sites: Site[] = [];
  beforeAll(async () => {
    sites = await Promise.all([startSite(1), startSite(3)]);
  });
  afterAll(() => Promise.all(sites.map(({ close }) => close())));

  for (const [place, { what, mode, runsShort = false }] of WAYS.entries()) {
    const list = runsShort ? `a list of ${MANY}, too few credits` : `a list of ${MANY} with 2 bad numbers`;
    testFault(
      {
        what: `${list}: the service ${what}; one bot and three`,
        mustHold: 'nobody texted twice, also after Resume; unknown are those without a sure outcome',
        runs: { short: 1, long: 200 },
        minutes: 90,
      },
      async ({ runs, saw }) => {
        const dice = createDice(place);
        const seen = { 'unknown recipients': 0, 'presses on Resume': 0, 'texts sent': 0 };
        await inLanes(sites, runs, async (lanes) => {
          const asked = {
            mode: mode(dice),
            count: MANY,
            bad: runsShort ? [] : [placeOf(dice, 0, MANY / 2), placeOf(dice, MANY / 2, MANY)],
            ...(runsShort && { creditsLeft: placeOf(dice, 0, MANY) }),
          };
          const rounds = lanes.map(async (lane) => {
            const round = await sendList(lane, asked);
            await untilQuiet(lane, round);
            await checkRound(lane, round);
            // Somebody tops up, since Resume needs credits.
            round.account.credits = 10_000;
            const resumes = await resumeToTheEnd(lane, round);
            const unknown = await checkRound(lane, round);
            seen['presses on Resume'] += resumes;
            seen['unknown recipients'] += unknown;
            await checkRows(lane, round);
            seen['texts sent'] += round.account.delivered.length;
          });
          await Promise.all(rounds);
        });
        saw(seen);
      },
    );
  }

  for (const [place, { what, mode }] of WAYS.entries()) {
    if (mode(createDice(0)).status !== 422) continue;
    if (WAYS[place]?.runsShort) continue;
    testFault(
      {
        what: `a list of 20 with one bad number: the service ${what}; one bot and three`,
        mustHold: 'the other 19 texted exactly once',
        runs: { short: 1, long: 200 },
        minutes: 90,
      },
      async ({ runs, saw }) => {
        const dice = createDice(place);
        let resumes = 0;
        await inLanes(sites, runs, async (lanes) => {
          const asked = { mode: mode(dice), count: 20, bad: [placeOf(dice, 0, 20)] };
          const rounds = lanes.map(async (lane) => {
            const round = await sendList(lane, asked);
            await untilQuiet(lane, round);
            await checkRound(lane, round);
            const presses = await resumeToTheEnd(lane, round);
            resumes += presses;
            const good = round.phones.filter((phone) => !round.bad.includes(phone));
            expect(Object.fromEntries(timesTexted(round))).toEqual(
              Object.fromEntries(good.map((phone) => [phone, 1])),
            );
            await checkRows(lane, round);
          });
          await Promise.all(rounds);
        });
        saw({ 'presses on Resume': resumes });
      },
    );
  }
});

/** A whole number from `least` to below `end`. */
function placeOf(dice: Dice, least: number, end: number): number {
  return Math.floor(between(dice, least, end));
}
