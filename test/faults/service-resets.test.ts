import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type CutLane, ENDPOINTS, type Endpoint, startCutLane, type Trial } from './helpers/cut-trials.ts';
import { testFault } from './helpers/faults.ts';
import type { Carried, Cut, CutKind } from './helpers/sms-cutting-server.ts';

/** How the connection ends: by RST, by FIN, or not before the deadline. */
const KINDS: CutKind[] = ['reset', 'close', 'hang'];
/** The short form tries one offset in this many. */
const SHORT_STEP = 7;
/** No retry comes after this time, in ms. */
const LATE_MS = 1600;

type Task = { endpoint: Endpoint; cut: Cut };

testFault(
  {
    what: 'the service cuts, ends or holds up the connection at every byte of request and answer',
    mustHold: 'tried again only where it is proven that nothing left',
    runs: { short: 1, long: KINDS.length },
  },
  async ({ runs, isLong, saw }) => {
    const measuring = await startCutLane({ timeoutMs: 20_000 });
    const todo: Task[] = [];
    for (const endpoint of ENDPOINTS) {
      const { request, answer } = await measuring.lengths(endpoint);
      for (const [at, place] of placesIn(request, answer, isLong ? 1 : SHORT_STEP).entries()) {
        for (let run = 0; run < runs; run += 1) {
          const kind = KINDS[(at + run) % KINDS.length] as CutKind;
          todo.push({ endpoint, cut: { ...place, kind } });
        }
      }
      saw({ [`bytes of ${endpoint}`]: `${request} + ${answer}` });
    }
    const isHanging = ({ cut }: Task) => cut.kind === 'hang';
    const broken = todo.filter((task) => !isHanging(task));
    const tried = await Promise.all([
      // With so long a deadline, none of these ends by it.
      tryAll(broken, { lanes: 3, timeoutMs: 20_000 }),
      // Each of these takes all its time, which a busy machine must not use up for an answer that came.
      tryAll(todo.filter(isHanging), { lanes: isLong ? 40 : 20, timeoutMs: 1500 }),
    ]);
    const trials = tried.flat();
    const texts = trials.filter(({ endpoint }) => endpoint !== 'balance');
    saw({
      offsets: todo.length / runs,
      trials: trials.length,
      'texts and chunks unknown': texts.filter(({ outcome }) => outcome === 'unknown').length,
      'tried again': texts.filter(({ settled }) => settled.length > 1).length,
      'balance read again': trials.filter(
        ({ endpoint, carried }) => endpoint === 'balance' && carried.length > 1,
      ).length,
    });
  },
);

/** Every place to cut a request, and then its answer. The last place is after the whole answer. */
function placesIn(request: number, answer: number, step: number): Pick<Cut, 'of' | 'offset'>[] {
  const upTo = (of: Cut['of'], end: number) =>
    Array.from({ length: Math.ceil(end / step) }, (_, index) => ({ of, offset: index * step }));
  return [...upTo('request', request), ...upTo('answer', answer), { of: 'answer', offset: answer }];
}

async function tryAll(
  todo: Task[],
  { lanes, timeoutMs }: { lanes: number; timeoutMs: number },
): Promise<Trial[]> {
  const queue = [...todo];
  const trials: Trial[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const lane = await startCutLane({ timeoutMs });
      for (let next = queue.shift(); next; next = queue.shift()) {
        const trial = await lane.attempt(next.endpoint, next.cut);
        if (next.endpoint === 'balance') checkBalance(trial);
        else checkText(trial);
        trials.push(trial);
      }
      for (const trial of await lane.whileShut()) {
        checkText(trial);
        expect(trial.settled.length, 'tries of what was refused at first').toBeGreaterThan(1);
        trials.push(trial);
      }
      await nothingComesLate(lane);
    }),
  );
  return trials;
}

/**
 * A second request needs proof that the first never began. A whole answer means sent, anything else unknown. A text that a
 * busy machine could not begin in time is not sent: then no byte of it was carried.
 */
function checkText(trial: Trial): void {
  const { cut, carried, outcome, settled } = trial;
  const words = JSON.stringify(trial);
  expect(
    settled.slice(0, -1).filter(({ request }) => request !== 'never_started'),
    words,
  ).toEqual([]);
  expect(
    carried.slice(0, -1).filter(({ request }) => request !== ''),
    words,
  ).toEqual([]);
  expect(carried.length, words).toBeLessThanOrEqual(settled.length);
  const last = carried.at(-1);
  // An RST may overtake the answer's last bytes.
  const mayBeSent = last?.answeredWhole === true;
  const mayBeUnknown = !mayBeSent || (last.wasCut && cut.kind === 'reset');
  const neverBegan =
    carried.every(({ request }) => request === '') &&
    settled.every(({ request }) => request === 'never_started');
  const outcomes = { sent: mayBeSent, unknown: mayBeUnknown, not_sent: neverBegan };
  expect(outcomes, words).toMatchObject({ [outcome]: true });
}

/** A read is safe to repeat: the figure comes, unless the first request used up all the time. */
function checkBalance(trial: Trial): void {
  const { cut, carried, outcome } = trial;
  const words = JSON.stringify(trial);
  const tookAllTime = cut.kind === 'hang' && carried.length === 1 && !carried[0]?.answeredWhole;
  expect(outcome, words).toBe(tookAllTime ? 'unavailable' : 'ok');
  expect(
    carried.filter(({ request }) => /^P/.test(request)),
    words,
  ).toEqual([]);
}

/** A connection that ended by itself without a byte, and so without a text. */
function isEmpty({ request, wasCut }: Carried): boolean {
  return request === '' && !wasCut;
}

async function nothingComesLate(lane: CutLane): Promise<void> {
  const before = lane.server.carried.length;
  await sleep(LATE_MS);
  await lane.restart();
  await sleep(LATE_MS);
  const late = lane.server.carried
    .slice(before)
    .filter((one) => !one.request.startsWith('GET') && !isEmpty(one));
  expect(late).toEqual([]);
}
