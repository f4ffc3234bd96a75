import type { OutboxRow } from '../../core/core.ts';
import { Waiting } from '../../core/dispatch/wait-news.ts';
import type { Delivery } from '../../core/post-or-retry.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import type { Message } from '../ui/blocks.ts';
import { isBeforeStart, undoableText } from '../ui/limits/undo.ts';
import { lineMessage } from '../ui/texts/outcome-lines.ts';
import { lacksCredits, receiptMessage, sendingMessage, waitingMessage } from '../ui/texts/receipt.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { deliverExpired, deliverInPlace, Posted, toChannel, toPerson } from './posting.ts';

/** How long a receipt may wait for its place, in ms. */
const LONGEST_WAIT_MS = 60_000;
/**
 * How long evidence may take once an unknown text may be sent again, in ms: a look each minute, of some seconds. After that,
 * its receipt says by itself that there is no clue.
 */
const EVIDENCE_WITHIN_MS = 70_000;

/** Puts a text's receipt, or that it is being sent, in the place of its draft. Says there if a draft has expired. */
export async function deliverReceipt(deps: SlackDeps, row: OutboxRow): Promise<Delivery> {
  const view = await deps.core.sends.view(row.subject);
  if (!view) return { kind: 'dropped', why: 'the send is gone' };
  if (view.state === 'expired') return deliverExpired(deps, row, view);
  const delivered = await deliverWords(deps, row, view);
  const { resendableAt = 0, evidence } = view;
  const againMs = evidence ? 0 : resendableAt + EVIDENCE_WITHIN_MS - deps.core.now();
  return delivered.kind === 'posted' && againMs > 0 ? { ...delivered, againMs } : delivered;
}

async function deliverWords(deps: SlackDeps, row: OutboxRow, view: SendView): Promise<Delivery> {
  const { reply, by } = view.details;
  const linked = lacksCredits(view) ? await deps.core.links.find(view.channel) : undefined;
  const message =
    view.state === 'running'
      ? wordsNow(view, row.details, deps.core.now())
      : receiptMessage(view, linked?.link);
  const isNew = row.posted === undefined || row.posted === null;
  const delivered = isNew ? await deliverInPlace(deps, row, reply, message) : undefined;
  const waitMs = delivered?.kind === 'refused' ? (delivered.waitMs ?? 0) : 0;
  // If the replacement keeps failing, or must wait long, post a new message: two receipts are better than a late one.
  return delivered && waitMs <= LONGEST_WAIT_MS ? delivered : toPerson(deps, row, by, { message });
}

/** While a confirmed text has no outcome. */
function wordsNow(view: SendView, details: unknown, now: number): Message {
  if (isBeforeStart(view, now)) return undoableText(view, now);
  const waiting = view.outcome === 'pending' ? Waiting.safeParse(details).data : undefined;
  return waiting ? waitingMessage(view, { ...waiting, now }) : sendingMessage(view);
}

export async function deliverLine(deps: SlackDeps, row: OutboxRow): Promise<Delivery> {
  const view = await deps.core.sends.view(row.subject);
  const message = view && lineMessage(view, { posted: Posted.safeParse(row.posted).success });
  if (!view || !message) return { kind: 'dropped', why: 'nothing was sent' };
  return toChannel(deps, row, { channel: view.channel, message });
}
