import type { View } from '../../store/view.ts';
import type { ResumeAsked, ResumeResult, SendDetailsChange } from '../model/decision-types.ts';
import { defined } from '../model/defined.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { isUnderWay, withDetails } from '../model/send-states.ts';
import { withPendingCancelled } from '../model/tally.ts';
import { limited, overrun, renewLimits, useUpLost, withApproval } from '../rules/budget-rules.ts';
import { putSend } from '../rules/put-send.ts';
import { finishIfDone } from './finish-send.ts';

/** running → paused. False if it did not run. */
export function pause(view: View, id: string, reason: string): boolean {
  const send = view.get(sends, id);
  // A send that is paused already is written again, so that the replicas confirm it: they may lack it.
  if (send?.record.state === 'paused') view.put(sends, id, send);
  if (send?.record.state !== 'running') return false;
  putSend(view, id, { ...send, record: { ...send.record, state: 'paused', pauseReason: reason } });
  return true;
}

/**
 * paused → running, with these details merged in. Unknown answers count from zero again. A job that costs more than its
 * estimate goes on only if its budgets have room for the rest. Above its approval, a second person must approve the
 * rest. With `seenServedAt` it does not go on if somebody resumed it since then. Nor does it if a failover has brought
 * another `doubt` since.
 */
export function resume(
  view: View,
  id: string,
  details: SendDetailsChange = {},
  { seenServedAt, doubt, limits, approval }: ResumeAsked = {},
): ResumeResult {
  const found = view.get(sends, id);
  if (found?.record.state !== 'paused') return { won: false };
  if (seenServedAt !== undefined && (found.record.servedAt ?? 0) !== seenServedAt) return { won: false };
  if (found.record.mayLackRequests !== doubt) return { won: false };
  useUpLost(view, limited(found.budget, limits));
  const send = approval ? withApproval(found, approval.upTo) : found;
  const over = overrun(view, send, limits);
  if (over) return { won: false, over };
  if (limits) renewLimits(view, send, limits);
  const remembered = send === found ? details : { ...details, ...approval?.details };
  const { pauseReason: _over, mayLackRequests: _read, ...record } = withDetails(send.record, remembered);
  putSend(view, id, { ...send, record: { ...record, state: 'running', unknownRun: 0, servedAt: view.now } });
  return { won: true };
}

/** Merges details into those of a running or paused send. False if it is neither. */
export function mergeDetails(view: View, id: string, details: SendDetailsChange): boolean {
  const send = view.get(sends, id);
  if (!send || !isUnderWay(send.record.state)) return false;
  putSend(view, id, { ...send, record: withDetails(send.record, details) });
  return true;
}

/**
 * running | paused → stopped. Cancels pending chunks; requests on their way still settle. False if it was neither.
 * `mayHaveBegun`: the store may lack requests of the job, so nobody knows what it never reached.
 */
export function stop(view: View, id: string, mayHaveBegun = false): boolean {
  const send = view.get(sends, id);
  // As in `pause`.
  if (send?.record.state === 'stopped') view.put(sends, id, send);
  if (!send || !isUnderWay(send.record.state)) return false;
  const { pauseReason: _over, ifUndone: _kept, ...record } = send.record;
  const { work, tally } = send;
  const { mayLackRequests = mayHaveBegun || undefined } = record;
  const stopped: SendDocument = {
    ...send,
    record: { ...record, ...defined({ mayLackRequests }), state: 'stopped', endedAt: view.now },
    work: { ...work, next: work.drafted, back: undefined, splitBudgets: undefined },
    tally: withPendingCancelled(tally),
  };
  putSend(view, id, finishIfDone(view, stopped));
  return true;
}
