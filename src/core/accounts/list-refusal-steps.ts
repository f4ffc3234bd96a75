import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import { instanceState } from '../state-names.ts';
import type { InstanceView } from './instance-view.ts';
import { Finding } from './list-refusal-seen.ts';

/**
 * How far an instance's check of refused lists is. `sending`: its request is under way. `asked`: it waits for the admin to
 * say whether the text arrived. `over`: the next check may begin. `broken_off`: the same, but its process died while it was
 * sending.
 */
export interface CheckProgress {
  step: 'sending' | 'asked' | 'over' | 'broken_off';
  /** How many checks have begun. A new check raises this figure by one, so only one person can begin it. */
  count: number;
  /** Who began the last check; absent if there was none. */
  by?: string;
  finding?: Finding;
}

/** A check that is `sending` for this many ms longer than a request may take has lost its process. */
const BROKEN_OFF_AFTER_MS = 60_000;

const STATE = /^(\d+):(sending|asked|over)$/;
const Details = z.object({ by: z.string(), finding: Finding.optional() });

const nameOf = (instance: InstanceView) => instanceState('refusal-check', instance);

/**
 * How far an instance's check is, and the ledger's named state of it. The state holds the count, so that each change can
 * happen only once. `timeoutMs`: the deadline of a request.
 */
export async function findCheck(
  { ledger, timeoutMs }: { ledger: Pick<Ledger, 'namedState' | 'now'>; timeoutMs: number },
  instance: InstanceView,
): Promise<{ state: string | undefined; progress: CheckProgress }> {
  const found = await ledger.namedState(nameOf(instance));
  const [, count = '0', step = 'over'] = STATE.exec(found?.state ?? '') ?? [];
  const { by, finding } = Details.partial().parse(found?.details ?? {});
  const brokeOff =
    step === 'sending' && ledger.now() - (found?.movedAt ?? 0) > timeoutMs + BROKEN_OFF_AFTER_MS;
  return {
    state: found?.state,
    progress: {
      step: brokeOff ? 'broken_off' : (step as CheckProgress['step']),
      count: Number(count),
      ...defined({ by, finding }),
    },
  };
}

/** Moves the check one step on; false if somebody else has moved it since `from`. */
export function moveCheck(
  { ledger }: { ledger: Pick<Ledger, 'changeState'> },
  instance: InstanceView,
  [from, to]: [from: string | undefined, to: `${number}:${'sending' | 'asked' | 'over'}`],
  details: z.infer<typeof Details>,
): Promise<boolean> {
  return ledger.changeState(nameOf(instance), { from, to, details: details as Json });
}
