import { startingWith } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';
import { countActivity, putChunk } from '../accounts/accounts.ts';
import type { ChunkDocument } from '../model/chunk-documents.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import { defined } from '../model/defined.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { chunkDocumentOf } from '../model/read-chunks.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { beginOf, isUndecidedSend, isUnderWay } from '../model/send-states.ts';
import { putSend } from '../rules/put-send.ts';
import { isFromFuture } from './clamp-future-times.ts';

/**
 * A store that fails over may forget its last writes. So a bot may have taken a single text that seems to wait. The
 * ledger presumes that it was: pending → sending, with a deadline, and without the token that nobody knows. If a bot
 * still has that attempt, its answer counts. Otherwise the text becomes unknown. A list's chunk goes on waiting, since the
 * balance tells whether it may go on. Somebody may also have sent a draft that seems undecided. So the next person who
 * sends it must know that.
 */

/**
 * What a store may have forgotten: that bots took texts at `begunBefore` or earlier (ms, the store's clock). With `doubt`
 * also requests of jobs from then, and that somebody sent a draft. These must say `doubt`.
 */
export interface Forgotten {
  begunBefore: number;
  doubt?: string;
}

/** Ids of the sends that may lack a step in this store. */
export function perhapsForgotten(view: View, what: Forgotten): string[] {
  const found = view.together<ListedDocument<SendDocument>[][]>(
    () => view.list(sends, 'open', startingWith([])),
    () => (what.doubt === undefined ? [] : view.list(sends, 'drafts', startingWith([]))),
  );
  const records = found.flat().map(({ value }) => value.record);
  return records
    .filter((each) => isTextOfThen(view, each, what) || markOf(view, each, what))
    .map(({ id }) => id);
}

/**
 * What a draft from then, or a job that nobody has worked on since then, must say; undefined if nothing, or if it says so
 * already.
 */
function markOf(view: View, record: SendRecord, what: Forgotten): Partial<SendRecord> | undefined {
  const { doubt } = what;
  if (doubt === undefined) return undefined;
  if (isUndecidedSend(record.state)) {
    const isMarked = record.mayBeSent === doubt;
    return isOfThen(view, record, record.createdAt, what) && !isMarked ? { mayBeSent: doubt } : undefined;
  }
  if (record.kind !== 'job' || !isUnderWay(record.state) || record.mayLackRequests === doubt)
    return undefined;
  const servedAt = Math.max(beginOf(record), record.servedAt ?? 0);
  return isOfThen(view, record, servedAt, what) ? { mayLackRequests: doubt } : undefined;
}

function isTextOfThen(view: View, record: SendRecord, what: Forgotten): boolean {
  const isRunning = record.kind === 'single' && record.state === 'running';
  return isRunning && isOfThen(view, record, beginOf(record), what);
}

/** Whether the store may have forgotten what was done since `time`. If the clock was set back, times don't tell. */
function isOfThen(view: View, record: SendRecord, time: number, { begunBefore }: Forgotten): boolean {
  return time <= begunBefore || isFromFuture(record, view.now);
}

/** Presumes that the store has forgotten a step of this send, if that may be. */
export function presumeForgotten(view: View, id: string, what: Forgotten, limits: LedgerLimits): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { record } = send;
  if (isTextOfThen(view, record, what)) presumeTaken(view, send, limits);
  const mark = markOf(view, record, what);
  if (mark) putSend(view, id, { ...send, record: { ...record, ...mark } });
}

/**
 * pending → sending. No request may follow. If the text is on its way, notes that the store may have forgotten a later
 * attempt.
 */
function presumeTaken(view: View, send: SendDocument, limits: LedgerLimits): void {
  const { id } = send.record;
  const ref = { send: id, index: 0 };
  const was = chunkDocumentOf(view, send, ref);
  if (was.state === 'sending' && was.token !== undefined) {
    putChunk(view, ref, was, { ...was, mayHaveEnded: true });
  }
  if (was.state !== 'pending') return;
  // An answer to the attempt before must not make it wait again.
  const { token: _before, notBefore: _spent, ...rest } = was;
  const account = was.account ?? send.record.account;
  const deadline = view.now + limits.leaseMs;
  const is: ChunkDocument = { ...rest, state: 'sending', deadline, ...defined({ account }) };
  const { ifUndone: _over, ...record } = send.record;
  putChunk(view, ref, was, is);
  putSend(view, id, { ...withChunkChanged(send, ref.index, was, is), record });
  if (account !== undefined) countActivity(view, account);
}
