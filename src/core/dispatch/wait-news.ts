import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Wait } from '../../ledger/model/attempt-types.ts';
import { rowAbout } from '../../ledger/outbox/announce.ts';
import { LONGEST_WAIT_MS } from '../../ledger/permits/rate-limit.ts';
import type { Instance } from '../accounts/instances.ts';
import type { Clock } from '../clock.ts';
import { createShortMemory } from '../short-cache.ts';
import { TOPICS } from '../topics.ts';

/** Why a confirmed send still waits, and until when (ms since 1970). */
export const Waiting = z.object({ until: z.number(), why: z.enum(['permits', 'asked_to_wait']) });
export type Waiting = z.infer<typeof Waiting>;

/** A receipt announces a wait that is longer than this, in ms. */
const WORTH_SAYING_MS = 3000;

/** Tells people of an instance's single texts, once for each text, that it waits, and why. */
export function createWaitNews({ ledger, clock }: { ledger: Ledger; clock: Pick<Clock, 'steady'> }) {
  /** By instance: the waiting sends whose people know. */
  const told = createShortMemory<Set<string>>(LONGEST_WAIT_MS, clock.steady);

  return async (instance: Instance, { until, rests }: Wait): Promise<void> => {
    if (until - ledger.now() < WORTH_SAYING_MS) return;
    const before = told.get(instance.id);
    const waiting = new Set<string>();
    for (const send of await ledger.openSends(instance.id)) {
      // People know already that this send waits so that they can undo it.
      if (send.startsAt !== undefined && send.startsAt > ledger.now()) continue;
      const [chunk] = send.kind === 'single' ? await ledger.chunks(send.id) : [];
      if (chunk?.state !== 'pending') continue;
      waiting.add(send.id);
      if (before?.has(send.id)) continue;
      const details: Waiting = { until, why: rests ? 'asked_to_wait' : 'permits' };
      await ledger.announce(rowAbout(send.id, TOPICS.receipt, details));
    }
    told.set(instance.id, waiting);
  };
}
