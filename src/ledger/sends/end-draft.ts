import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { defined } from '../model/defined.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import type { ExpiredFor, SendRecord } from '../model/send-record.ts';
import { isUndecidedSend, mayGoFrom } from '../model/send-states.ts';
import { announceTopics } from '../outbox/announce.ts';
import { announceRequest } from '../rules/approvals.ts';
import { putSend } from '../rules/put-send.ts';
import { countHeldBack } from '../rules/repeats-held-back.ts';
import { deleteChunks } from './draft-chunks.ts';

/** draft or awaiting_approval → cancelled, superseded, declined or expired: nothing is sent. `record`: how it ended. */
export function endDraft(view: View, found: SendDocument, record: SendRecord): SendDocument {
  const ended = deleteChunks(view, { ...found, record });
  putSend(view, record.id, ended);
  if (record.state !== 'superseded' && record.isAsked) countHeldBack(view, record, 1);
  return ended;
}

/** Expires a draft or a request for approval. `why`: as in `expireDrafts`. False if it is decided. */
export function expireDraft(view: View, id: string, why?: WhyExpired): boolean {
  const send = view.get(sends, id);
  if (!send || !isUndecidedSend(send.record.state)) return false;
  expire(view, send, why);
  return true;
}

/**
 * Expires the drafts and requests for approval of a channel, but for those that `butPaidBy` pays. With `onlyOlder`, only
 * those that this account pays and that were written by then. `why`: what the people who asked for them read. Returns how
 * many.
 */
export function expireDrafts(
  view: View,
  team: string,
  channelId: string,
  { why, butPaidBy, onlyOlder }: WhichDrafts = {},
): number {
  const drafts = view
    .list(sends, 'drafts', startingWith([team, channelId]))
    .filter(({ value: { record } }) => !onlyOlder || isOlder(record, onlyOlder))
    .filter(({ value: { record } }) => !butPaidBy || !isPaidBy(record, butPaidBy));
  for (const { value } of drafts) expire(view, value, why);
  return drafts.length;
}

/** `may_be_sent`: the data may be an old copy, which does not know that somebody sent this. */
type WhyExpired = ExpiredFor | 'may_be_sent';

interface WhichDrafts {
  why?: WhyExpired;
  butPaidBy?: Payer;
  onlyOlder?: OlderWork | undefined;
}

/** What an account pays, and an old copy of that moment (`writtenBy`, ms, the store's clock) may hold unsent. */
export interface OlderWork {
  account: string;
  writtenBy: number;
}

export function isOlder(send: SendRecord, { account, writtenBy }: OlderWork): boolean {
  return mayGoFrom(send) <= writtenBy && (send.account ?? account) === account;
}

type Payer = Pick<SendRecord, 'instance' | 'account'>;

function isPaidBy({ instance, account }: SendRecord, payer: Payer) {
  return instance === payer.instance && account === payer.account;
}

/**
 * draft or awaiting_approval → expired, without its chunks. The person who saw it reads of that. Without `why` its time is
 * over.
 */
export function expire(view: View, send: SendDocument, why?: WhyExpired): SendDocument {
  const ended = { ...send.record, state: 'expired' as const, endedAt: view.now };
  const mark = { mayBeSent: send.record.mayBeSent ?? true };
  const more = why === 'may_be_sent' ? mark : defined({ expiredFor: why });
  const expired = endDraft(view, send, { ...ended, ...more });
  // The request's own row tells everybody who must know.
  if (expired.record.approval) announceRequest(view, expired.record);
  else announceTopics(view, expired.record);
  return expired;
}
