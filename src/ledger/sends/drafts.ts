import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import type { Decision, DecisionResult, NewSend } from '../model/decision-types.ts';
import { defined } from '../model/defined.ts';
import { firstTime, isRepeat } from '../model/once.ts';
import { type FoundChunk, sendWithFirstChunk } from '../model/read-chunks.ts';
import type { SameWords } from '../model/repeat-types.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord, SendWithFirstChunk } from '../model/send-record.ts';
import { beginOf, decideDraft, isUndecidedSend, STALE_AFTER_MS } from '../model/send-states.ts';
import { emptyCounts } from '../model/tally.ts';
import { announce } from '../outbox/announce.ts';
import { announceRequest, requestOf, whyNotDecided } from '../rules/approvals.ts';
import { openPeriods, overBudget, useUpLost } from '../rules/budget-rules.ts';
import { putSend } from '../rules/put-send.ts';
import { claimWords, sameWords } from '../rules/repeat-guard.ts';
import { claimResends, findResends } from '../unknowns/resends.ts';
import { append, decideRepeats, sentChunks, withChunks } from './draft-chunks.ts';
import { endDraft, expire } from './end-draft.ts';

/**
 * Writes a send and its chunks as a draft, and returns it. The draft can be sent for `expiresInMs` (`DRAFT_TTL_MS`). If
 * the same request did so before, writes nothing and returns undefined.
 * @throws Error if there is a send with that id
 */
export function draft(view: View, send: NewSend): SendWithFirstChunk | undefined {
  const { chunks: lists, expiresInMs, once, replaces, ...rest } = send;
  if (once && !firstTime(view, once)) return undefined;
  if (view.getAssumingAbsent(sends, send.id) || view.isDamaged(sends, send.id))
    throw new Error(`there is a send ${send.id} already`);
  const edited = replaces === undefined ? undefined : view.get(sends, replaces);
  // Somebody may have sent a draft that is damaged.
  const isDamaged = replaces !== undefined && view.isDamaged(sends, replaces);
  const mayBeSent = edited?.record.mayBeSent ?? (isDamaged ? true : undefined);
  const empty: SendDocument = {
    record: {
      ...rest,
      ...defined({ mayBeSent }),
      state: 'draft',
      createdAt: view.now,
      expiresAt: view.now + expiresInMs,
    },
    work: { chunks: 0, drafted: 0, next: 0 },
    tally: emptyCounts(),
  };
  const [only] = lists;
  if (send.kind === 'single' && lists.length === 1 && only) {
    putSend(view, send.id, { ...withChunks(empty, lists), messages: only });
  } else append(view, empty, lists);
  return sendWithFirstChunk(view, send.id);
}

/**
 * Decides a draft or a request for approval, once: draft → running | cancelled | superseded | awaiting_approval. The
 * step asks all rules: expiry, approval, the repeat guard, a resend's claim, budgets. A draft that is too old expires
 * instead. A draft that nobody sends loses its chunks. A repeated request decides nothing. A request for approval lives
 * for a day: another person approves or declines it, or somebody cancels or edits it. If another send brings the same
 * words to the number, the text needs a person who knows of that send (`Decision.words`). So does a draft that may be sent
 * already (`Decision.evenIfSent`). With `startsInMs` no chunk is taken before `startsAt`.
 */
export function decide(view: View, id: string, decision: Decision): DecisionResult {
  useUpLost(view, decision.budget?.periods ?? []);
  const found = view.get(sends, id);
  if (!found) return { won: false, why: 'missing' };
  const lost = whyLost(view, found, decision);
  if (lost) return lost;
  view.commitBefore(found.record.expiresAt);
  if (decision.to === 'running') return decideForSending(view, found, decision);
  const decided =
    decision.to === 'awaiting_approval'
      ? ask(view, found, decision)
      : endDraft(view, found, decideDraft(found.record, decision, view.now)).record;
  announceRequest(view, decided);
  return { won: true, send: decided };
}

/** Why a decision does not count, before any rule of sending; undefined if it does. Expires a draft that is too old. */
function whyLost(view: View, found: SendDocument, decision: Decision): DecisionResult | undefined {
  const { record } = found;
  if (record.state === 'expired') return { won: false, why: 'expired', send: record };
  if (!isUndecidedSend(record.state)) return { won: false, why: 'decided', send: record };
  if (view.now >= record.expiresAt) {
    const expired = expire(view, found, decision.mayBeSent ? 'may_be_sent' : undefined);
    return { won: false, why: 'expired', send: expired.record };
  }
  if (decision.once && isRepeat(view, decision.once)) return { won: false, why: 'repeated', send: record };
  const why = whyNotDecided(record, decision);
  return why && { won: false, why, send: record };
}

/** draft → awaiting_approval. */
function ask(view: View, found: SendDocument, decision: Decision): SendRecord {
  const request = requestOf(found.record, decision, view.now);
  putSend(view, request.id, { ...found, record: request });
  return request;
}

/**
 * draft or awaiting_approval → running, if no rule refuses. Asks all rules before it writes. A refusal writes only that
 * the bot asked the person about the same words.
 */
function decideForSending(view: View, found: SendDocument, decision: Decision): DecisionResult {
  const { record } = found;
  const { id } = record;
  const { budget, words } = decision;
  // A send without chunks would never end.
  if (sentChunks(found, decision) === 0) throw new Error(`the draft ${id} holds nothing to send`);
  if (record.mayBeSent && String(record.mayBeSent) !== decision.evenIfSent)
    return { won: false, why: 'may_be_sent', send: record };
  const same = words && earlierToRead(view, record, words);
  if (same) {
    const send: SendRecord = { ...record, isAsked: true };
    if (!record.isAsked) putSend(view, id, { ...found, record: send });
    return { won: false, why: 'same_words', same, send };
  }
  const again = record.resends && findResends(view, record.resends);
  // Make no repeat mark: if Slack repeats the click, the person must still read the reason.
  if (typeof again === 'string') return { won: false, why: again, send: record };
  const over = budget && !decision.approval?.exceptBudget && overBudget(view, budget, releasedBy(again));
  if (over) return { won: false, why: 'over_budget', over, send: record };

  if (again) claimResends(view, again, id);
  if (decision.once) firstTime(view, decision.once);
  const chosen = decideRepeats(view, found, decision);
  const decided = decideDraft(chosen.record, decision, view.now);
  const staleAt = record.kind === 'single' ? { staleAt: beginOf(decided) + STALE_AFTER_MS } : {};
  putSend(view, id, {
    ...chosen,
    record: decided,
    work: { ...chosen.work, ...staleAt },
    ...(budget && { budget: openPeriods(view, chosen, budget) }),
  });
  if (decision.announces) announce(view, decision.announces);
  if (words) claimWords(view, decided, words);
  announceRequest(view, decided);
  return { won: true, send: decided };
}

/** An earlier send of the same words that the person must read of first. Whoever resends an unknown text has read of it. */
function earlierToRead(
  view: View,
  { id, team, resends }: SendRecord,
  { hash, allowed }: NonNullable<Decision['words']>,
): SameWords | undefined {
  if (resends) return undefined;
  const same = sameWords(view, team, hash, id);
  return same?.send === allowed ? undefined : same;
}

/** The send that is resent, with its chunks: the credits that it holds for them become free. */
function releasedBy(again: FoundChunk[] | undefined) {
  const [first] = again ?? [];
  return first && again && { send: first.send, chunks: again.map(({ document }) => document) };
}

/** Requests for approval of a workspace that nobody has decided, oldest first. */
export function awaitingApproval(view: View, team: string): SendRecord[] {
  return view.list(sends, 'awaiting', startingWith([team])).map(({ value }) => value.record);
}
