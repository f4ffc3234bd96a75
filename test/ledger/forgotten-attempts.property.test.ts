import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import { createSteps } from '../../src/store/steps.ts';
import { dumpable } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { forgetfulEngine } from '../helpers/forgetful-engine.ts';
import {
  type Attempt,
  aJob,
  aSingle,
  confirmed,
  forJobs,
  forSingles,
  handClock,
  LIMITS,
  neverStarted,
  REJECTED,
  SENT,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

/** What becomes of a request; the first never begins. */
const ANSWERS: Settlement[] = [neverStarted(), SENT, SENT, REJECTED, UNANSWERED];

interface Made extends Attempt {
  bot: number;
  answer: Settlement;
}

/** What happens next: to which bot, and which of several. */
const event = fc.record({
  what: fc.constantFrom(
    'confirm',
    'take',
    'take',
    'answer',
    'answer',
    'answer, not confirmed',
    'write again',
    'time passes',
    'undo',
    'cut off',
    'fail over',
    'reconnect',
    'reconnect',
  ),
  bot: fc.nat(1),
  which: fc.nat(20),
});

/** Two bots on a store that may forget, with caches of their own. */
function twoBots() {
  const clock = handClock();
  const forgetful = forgetfulEngine(clock.now);
  const engine = dumpable(forgetful);
  const steps = [createSteps(engine), createSteps(engine)] as const;
  const bots = [createLedger(steps[0], LIMITS), createLedger(steps[1], LIMITS)] as const;
  return { clock, forgetful, engine, steps, bots };
}

test('whatever a failover forgets, a text is requested once, and its outcome is true', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const { clock, forgetful, engine, steps, bots } = twoBots();
      const open: Made[] = [];
      const ended: Made[] = [];
      const requests = new Map<string, Made[]>();
      const settle = ({ bot, ref, token, send, chunk, answer }: Made) =>
        bots[bot as 0 | 1].settle(ref, token, answer, {
          rateLimitKey: 'k1',
          account: 'a1',
          attempt: chunk.attempt,
          send,
          isRepeated: tried.has(token),
        });
      const tried = new Set<string>();
      let texts = 0;
      /** Since when a bot has no connection. */
      const away = new Map<number, number>();
      const reconnect = async (bot: number) => {
        const at = away.get(bot);
        away.delete(bot);
        if (at !== undefined) await bots[bot as 0 | 1].presumeForgotten({ begunBefore: at, doubt: 'r2' });
      };
      for (const { what, bot, which } of events) {
        const ledger = bots[bot as 0 | 1];
        clock.advance(10);
        if (what === 'reconnect') await reconnect(bot);
        else if (away.has(bot)) continue;
        else if (what === 'confirm') {
          texts += 1;
          await confirmed(ledger, aSingle(`s${texts}`, { account: 'a1' }));
        } else if (what === 'take') {
          const request = forSingles();
          const taken = await ledger.take(request);
          if (taken.kind !== 'taken') continue;
          const { send, chunk } = taken;
          const answer = ANSWERS[which % ANSWERS.length] as Settlement;
          const ref = { send: chunk.send, index: 0 };
          const made = { ref, token: request.token, send, chunk, bot, answer };
          open.push(made);
          if (answer.to !== 'pending') requests.set(chunk.send, [...(requests.get(chunk.send) ?? []), made]);
        } else if (what === 'answer' && open.length > 0) {
          if (away.has(open[which % open.length]?.bot ?? 0)) continue;
          const [made] = open.splice(which % open.length, 1) as [Made];
          await settle(made);
          if (made.answer.to !== 'pending') ended.push(made);
        } else if (what === 'answer, not confirmed' && open.length > 0) {
          // The bot does not know that the store has its answer, so it writes it again.
          const made = open[which % open.length] as Made;
          if (away.has(made.bot)) continue;
          await settle(made);
          tried.add(made.token);
        } else if (what === 'write again') {
          for (const made of ended) if (!away.has(made.bot)) await settle(made);
        } else if (what === 'time passes') {
          clock.advance(which * 2000);
          await ledger.recover();
        } else if (what === 'undo' && texts > 0) {
          await ledger.undo(`s${1 + (which % texts)}`, { by: 'U1', details: {}, keeps: null });
        } else if (what === 'cut off') {
          forgetful.cutOff();
        } else if (what === 'fail over') {
          const at = clock.now();
          forgetful.failOver();
          for (const one of steps) one.forget();
          for (const place of [0, 1]) away.set(place, at);
        }
      }
      for (const place of [0, 1]) await reconnect(place);
      for (const made of open) await settle(made);
      clock.advance(2 * LIMITS.leaseMs);
      await bots[0].recover();
      for (const [id, made] of requests) {
        expect(made, `${id} was requested again`).toHaveLength(1);
        const [chunk] = await bots[1].chunks(id);
        // The store may have forgotten the whole text, or its decision.
        if (!chunk || (await bots[1].find(id))?.state === 'draft') continue;
        expect([made[0]?.answer.to, 'unknown'], id).toContain(chunk.state);
      }
      expectWhole(await engine.dump());
    }),
    { numRuns: 2000 },
  );
});

/** What happens next to a list: to which bot, and which of several. */
const eventOfList = fc.record({
  what: fc.constantFrom(
    'take',
    'take',
    'take',
    'answer',
    'answer',
    'answer, not confirmed',
    'time passes',
    'cut off',
    'fail over',
    'reconnect',
    'reconnect',
  ),
  bot: fc.nat(1),
  which: fc.nat(20),
});

const CHUNKS = 6;

test('whatever a failover forgets of a list, no text is requested twice while its bots live', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(eventOfList, { maxLength: 60 }), async (events) => {
      const { clock, forgetful, engine, steps, bots } = twoBots();
      const botOf = (which: number) => bots[which as 0 | 1];
      await confirmed(bots[0], aJob('j1', Array(CHUNKS).fill(2), { account: 'a1' }));
      const open: Made[] = [];
      const ended: Made[] = [];
      const tried = new Set<string>();
      const requests = new Map<number, Made[]>();
      const away = new Set<number>();
      /** Attempts from before the failover: nobody takes anything until they have ended, since that is compared later. */
      let old: Made[] = [];
      const settle = ({ bot, ref, token, send, chunk, answer }: Made) =>
        botOf(bot).settle(ref, token, answer, {
          rateLimitKey: 'k1',
          account: 'a1',
          attempt: chunk.attempt,
          send,
          isRepeated: tried.has(token),
        });
      const end = async (made: Made) => {
        open.splice(open.indexOf(made), 1);
        old = old.filter((each) => each !== made);
        await settle(made);
        if (made.answer.to !== 'pending') ended.push(made);
      };
      const reconnect = async (bot: number) => {
        if (!away.delete(bot)) return;
        await botOf(bot).presumeForgotten({ begunBefore: clock.now(), doubt: 'r2' });
        for (const made of ended) if (made.bot === bot) await settle(made);
      };
      for (const { what, bot, which } of events) {
        clock.advance(10);
        if (what === 'reconnect') await reconnect(bot);
        else if (away.has(bot)) continue;
        else if (what === 'take') {
          if (away.size > 0 || old.length > 0) continue;
          const request = forJobs();
          const taken = await botOf(bot).take(request);
          if (taken.kind !== 'taken') continue;
          const { send, chunk } = taken;
          const answer = ANSWERS[which % ANSWERS.length] as Settlement;
          const made = {
            ref: { send: 'j1', index: chunk.index },
            token: request.token,
            send,
            chunk,
            bot,
            answer,
          };
          open.push(made);
          if (answer.to !== 'pending')
            requests.set(chunk.index, [...(requests.get(chunk.index) ?? []), made]);
        } else if (what.startsWith('answer') && open.length > 0) {
          const made = open[which % open.length] as Made;
          if (away.has(made.bot)) continue;
          if (what === 'answer') await end(made);
          else {
            await settle(made);
            tried.add(made.token);
          }
        } else if (what === 'time passes') {
          clock.advance(which * 2000);
          await botOf(bot).recover();
        } else if (what === 'cut off') {
          forgetful.cutOff();
        } else if (what === 'fail over') {
          forgetful.failOver();
          for (const one of steps) one.forget();
          for (const place of [0, 1]) away.add(place);
          old = [...open];
        }
      }
      for (const place of [0, 1]) await reconnect(place);
      for (const made of [...open]) await end(made);
      clock.advance(2 * LIMITS.leaseMs);
      await bots[0].recover();
      const chunks = await bots[1].chunks('j1');
      for (const [index, made] of requests) {
        expect(made, `${index} was requested again`).toHaveLength(1);
        expect([made[0]?.answer.to, 'unknown'], String(index)).toContain(chunks[index]?.state);
      }
      expectWhole(await engine.dump());
    }),
    { numRuns: 500 },
  );
});
