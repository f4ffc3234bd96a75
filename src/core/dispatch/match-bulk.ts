import type { Receipt, ResolvedPart, Settlement } from '../../ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { BulkResult, SendResult } from '../../sms/schema.ts';
import type { ChunkResult, Evidence } from '../sends/chunk-result.ts';

type Entry = BulkResult['messages'][number];

/** The receipt names no price for messages in doubt or not listed, so the balance tells nothing about them. */
const NO_EVIDENCE: Evidence = { verdict: 'none' };

/** The status of a message that was sent ("Bulk send result"). */
const SENT = 'sent';
/** The most characters that we keep of a service's own status. */
const STATUS_MAX = 40;

/** What an accepted request makes of its messages: each was sent, or nobody knows. */
export function settleAccepted(messages: LedgerMessage[], data: SendResult | BulkResult): Settlement {
  return 'messages' in data ? sentTogether(messages, data) : sentAlone(data);
}

function sentAlone(data: SendResult): Settlement {
  const { message_id: messageId, status } = data;
  const receipt = receiptOf(data);
  const other = status === SENT ? {} : { otherStatus: status.slice(0, STATUS_MAX) };
  const result: ChunkResult = { cause: 'accepted', messageId, ...receipt, ...other };
  return { to: 'sent', request: 'answered', ...other, receipt, result };
}

/**
 * Settles the messages of an accepted bulk request ("Bulk send result": one entry per message, in the request's order).
 * An entry belongs to the message at its place if their numbers agree, otherwise to one with its number. A message
 * without an entry is unknown. We keep a status other than "sent" as it is. If the answer counts fewer messages as sent
 * than it lists, nobody knows which ones it means. Then the listed ones are unknown, too.
 */
function sentTogether(messages: LedgerMessage[], data: BulkResult): Settlement {
  const receipt = receiptOf(data);
  const entries = match(messages, data.messages);
  const isDoubtful = entries.filter((entry) => entry?.status === SENT).length > data.messages_sent;
  const matched = messages.map((message, index) => ({ message, entry: entries[index] }));
  const groups = Map.groupBy(matched, ({ entry }) => entry?.status.slice(0, STATUS_MAX));
  const parts = [...groups].map(([status, group]): ResolvedPart => {
    const messages = group.map(({ message }) => message);
    const isSent = status === SENT;
    if (status === undefined || (isSent && isDoubtful)) {
      const result: ChunkResult = { cause: status === undefined ? 'not_listed' : 'broken_answer' };
      return { state: 'unknown', messages, result, evidence: NO_EVIDENCE };
    }
    const result: ChunkResult = {
      cause: 'accepted',
      messageIds: group.flatMap(({ entry }) => entry?.message_id ?? []),
      // If the request held other messages too, only a count that agrees says whose the credits are.
      ...(groups.size === 1 || (isSent && messages.length === data.messages_sent)
        ? { creditsUsed: data.credits_used }
        : {}),
    };
    return { state: 'sent', messages, result, ...(isSent ? {} : { otherStatus: status }) };
  });
  const [whole, ...others] = parts;
  if (whole?.state !== 'sent' || others.length > 0)
    return { to: 'resolved_per_message', request: 'answered', receipt, parts };
  const { otherStatus, result } = whole;
  return { to: 'sent', request: 'answered', receipt, result, ...defined({ otherStatus }) };
}

function receiptOf({ credits_used, credits_remaining }: SendResult | BulkResult): Receipt {
  return { creditsUsed: credits_used, creditsRemaining: credits_remaining };
}

function match(messages: LedgerMessage[], listed: Entry[]): (Entry | undefined)[] {
  const taken = new Set<Entry>();
  const inPlace = messages.map(({ phone }, index) => {
    const entry = listed[index];
    if (entry === undefined || digitsOf(entry.phone) !== phone) return undefined;
    taken.add(entry);
    return entry;
  });
  const left = listed.filter((entry) => !taken.has(entry));
  const elsewhere = Map.groupBy(left, ({ phone }) => digitsOf(phone));
  return inPlace.map((entry, index) => entry ?? elsewhere.get(messages[index]?.phone ?? '')?.shift());
}

/** "Phone format": numbers come back as submitted, perhaps with a plus. */
function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '');
}
