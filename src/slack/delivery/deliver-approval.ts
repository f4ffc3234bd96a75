import { limitsOf } from '../../core/accounts/channel-limits.ts';
import { mayAdminister, mayApprove } from '../../core/accounts/permissions.ts';
import type { ApprovalRequest } from '../../core/approvals/approvals.ts';
import type { OutboxRow } from '../../core/core.ts';
import { waitsAbove } from '../../core/jobs/job-view.ts';
import type { Delivery } from '../../core/post-or-retry.ts';
import { approverCard, askerNews, channelCard } from '../ui/limits/approval-card.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { announceToReaders, ForReader, Posted, toChannel, toPerson, WithReaders } from './posting.ts';

/**
 * Posts a request's card in its channel, or to its approvers: each approver has a row of their own. The card shows the
 * request as it is now, so the same row later says how it ended. Then the person who asked hears of it, too.
 */
export async function deliverApproval(deps: SlackDeps, row: OutboxRow): Promise<Delivery> {
  const { core } = deps;
  const request = await core.approvals.view(row.subject);
  if (!request) return { kind: 'dropped', why: 'the request is gone' };
  const { state, team } = request.view;
  // A bot may have died between posting the card and noting it. So every other end is posted.
  if (!row.posted && (state === 'cancelled' || state === 'superseded'))
    return { kind: 'dropped', why: 'it was withdrawn before anybody was asked' };
  const one = ForReader.safeParse(row.details).data;
  if (one?.isAsker) return toAsker(deps, row, request);
  if (one) return toApprover(deps, row, request, one.reader);
  if (state === 'declined' || state === 'expired') {
    const details = { team, reader: request.approval.askedBy, isAsker: true };
    await core.announce({ id: `${row.id}:asker`, topic: row.topic, subject: row.subject, details });
  }
  return toAll(deps, row, request);
}

/** Tells the person who asked that their request was declined or has expired. */
async function toAsker(deps: SlackDeps, row: OutboxRow, request: ApprovalRequest): Promise<Delivery> {
  const news = askerNews(request);
  // The message where they asked still says that the request waits. Replace it, if their response_url still works.
  if (!row.posted) await deps.replies.inPlace(request.view.details.reply, news);
  return toPerson(deps, row, request.approval.askedBy, { message: news });
}

/** Posts an approver's own card. */
async function toApprover(
  deps: SlackDeps,
  row: OutboxRow,
  request: ApprovalRequest,
  reader: string,
): Promise<Delivery> {
  const person = await approver(deps, request, reader);
  if (!person && !row.posted && request.view.state === 'awaiting_approval')
    return { kind: 'dropped', why: 'they can’t approve any more' };
  const message = approverCard(request, person && { whole: mayAdminister(person) });
  const above = person && request.kind === 'job' ? waitsAbove(request.view) : undefined;
  return toPerson(deps, row, reader, { message, waitsAbove: above });
}

/** Posts the card to the channel, or gives each approver a row of their own. */
async function toAll(deps: SlackDeps, row: OutboxRow, request: ApprovalRequest): Promise<Delivery> {
  const { view, linked } = request;
  const before = Posted.safeParse(row.posted).data;
  const asked = WithReaders.safeParse(row.posted).data?.readers;
  const isDirect = linked !== undefined && limitsOf(linked.link).approvalsIn === 'direct';
  // A request that went to people stays with people, wherever new requests go now.
  const goesToNew = asked ? view.state === 'awaiting_approval' : isDirect && !before;
  const now = goesToNew ? await approversNow(deps, request) : [];
  const readers = [...new Set([...(asked ?? []), ...now])];
  const details = { team: view.team };
  if (readers.length > 0) return announceToReaders(deps.core, row, { readers, details });
  const card = { channel: view.channel, message: channelCard(request), details };
  return toChannel(deps, row, card, () => approversNow(deps, request));
}

/** Who gets the request directly, of those who can decide it now. */
async function approversNow(deps: SlackDeps, request: ApprovalRequest): Promise<string[]> {
  const readers = deps.core.approvals.readers(request);
  const found = await Promise.all(readers.map((each) => approver(deps, request, each)));
  return readers.filter((_, place) => found[place]);
}

/** The person, if they may now decide the request, or what its list takes beyond it. */
async function approver({ access }: SlackDeps, request: ApprovalRequest, user: string) {
  const { linked, view, approval } = request;
  const person = linked && (await access.present(user));
  const why = view.state === 'awaiting_approval' ? approval.why : undefined;
  return person && mayApprove(person, limitsOf(linked.link), why) ? person : undefined;
}
