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
  aSingle,
  confirmed,
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

test('whatever a failover forgets, a text is requested once, and its outcome is true', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const clock = handClock();
      const forgetful = forgetfulEngine(clock.now);
      const engine = dumpable(forgetful);
      const steps = [createSteps(engine), createSteps(engine)] as const;
      const bots = [createLedger(steps[0], LIMITS), createLedger(steps[1], LIMITS)] as const;
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
