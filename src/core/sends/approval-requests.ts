import type { ApprovalWord } from '../../ledger/model/approval-types.ts';
import type { Json } from '../../ledger/model/json.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Instance } from '../accounts/instances.ts';
import { keyUnusable, troubleIn } from '../accounts/key-trouble.ts';
import { isOwnRequest, mayApprove, namedApprovers, type Person } from '../accounts/permissions.ts';
import { type AskedFor, askApproval } from './ask-approval.ts';
import { type Confirmation, decideToSend } from './decide-to-send.ts';
import { type Approved, type Declined, SWITCHBOARD, type Unfit } from './decision-answers.ts';
import { shortBalance } from './draft-balance.ts';
import { atPriceOfNow, mayBeSentAlready, sendableDraft } from './own-draft.ts';
import type { DecisionDeps, DraftKind, Undecided } from './undecided.ts';

export type Requests<View extends Undecided> = ReturnType<typeof createRequests<View>>;

/** Requests that a second person decides, each once. */
export function createRequests<View extends Undecided>(deps: DecisionDeps, kind: DraftKind<View>) {
  const { mustView } = kind;

  async function decline(id: string, by: string, reason: string): Promise<Declined<View>> {
    const mayBeSent = await mayBeSentAlready(deps, await mustView(id));
    const decided = await deps.ledger.decide(id, { to: 'declined', by, approval: { reason }, mayBeSent });
    return { kind: decided.won ? 'declined' : 'too_late', view: await mustView(id) };
  }

  return {
    ask: (id: string, person: Person, reply: Json, how?: AskedFor) =>
      askApproval(deps, kind, { id, person, reply }, how),

    /**
     * Sends the request, once. Checks everything again: the person who asked may still send, and the request is the
     * draft, at no higher price. `findAsker` looks up that person, after the approver's right was checked; undefined if
     * they have left the channel. A request that no longer fits still waits: the caller sends it back, with the reason in
     * words.
     */
    async approve(
      id: string,
      approver: Person,
      findAsker: (user: string) => Promise<Person | undefined>,
      confirmation?: Pick<Confirmation, 'evenIfSent' | 'onWait'>,
    ): Promise<Approved<View>> {
      const found = await decidable(deps, kind, id, approver);
      if (found.kind !== 'decidable') return found;
      const { request, approval, limits } = found;
      const word: ApprovalWord = {
        isOwnAllowed: limits.ownApproval,
        ...(approval.why === 'budget' && { exceptBudget: true }),
      };
      if (isOwnRequest(approval.askedBy, approver.id, limits.ownApproval)) return { kind: 'own_request' };
      const asker = await findAsker(approval.askedBy);
      if (!asker) return { kind: 'unfit', why: { kind: 'asker_away' } };
      const sendable = await sendableDraft(deps, kind, request, asker);
      if (sendable.kind === 'too_late') return sendable;
      if (sendable.kind !== 'sendable') return { kind: 'unfit', why: sendable };
      const { linked } = sendable;
      const why = await changeSince(deps, kind, request, linked.instance);
      if (why) return { kind: 'unfit', why };
      const { same, include } = approval;
      const how = { by: approver.id, approval: word, allowed: same?.send, include, ...confirmation };
      const sent = await decideToSend(deps, kind, { draft: request, linked }, how);
      switch (sent.kind) {
        case 'running':
        case 'missing':
        case 'too_late':
        case 'own_request':
        case 'no_balance':
        case 'may_be_sent':
          return sent;
        case 'repeated':
          return { kind: 'too_late', view: await mustView(id) };
        default:
          return { kind: 'unfit', why: sent };
      }
    },

    async decline(id: string, approver: Person, reason: string): Promise<Declined<View>> {
      const found = await decidable(deps, kind, id, approver);
      return found.kind === 'decidable' ? decline(id, approver.id, reason) : found;
    },

    /** Declines a request that no longer fits, on nobody's word. */
    sendBack: (id: string, reason: string) => decline(id, SWITCHBOARD, reason),
  };
}

/** The request and its channel's limits, if this person may decide it; otherwise why not. */
async function decidable<View extends Undecided>(
  { ledger, links }: DecisionDeps,
  { view, mustView }: DraftKind<View>,
  id: string,
  approver: Person,
) {
  const request = await view(id);
  if (!request?.approval || request.team !== approver.team) return { kind: 'missing' as const };
  if (request.state !== 'awaiting_approval') return { kind: 'too_late' as const, view: request };
  const linked = await links.find(request.team, request.channel);
  if (!linked) {
    await ledger.expireDrafts(request.team, request.channel, { why: 'unlinked' });
    return { kind: 'too_late' as const, view: await mustView(request.id) };
  }
  const limits = limitsOf(linked.link);
  const { approval } = request;
  if (!mayApprove(approver, limits, approval.why)) {
    return { kind: 'not_approver' as const, approvers: namedApprovers(limits, approval.why) };
  }
  return { kind: 'decidable' as const, request, approval, limits };
}

/** Why a request no longer fits what was drafted, beside what **Send** checks. */
async function changeSince<View extends Undecided>(
  deps: DecisionDeps,
  kind: DraftKind<View>,
  request: View,
  instance: Instance,
): Promise<Unfit<View> | undefined> {
  if (await kind.isOptedOut?.(request)) return { kind: 'opted_out' };
  const was = request.details.estimate;
  const { estimate: now } = (await atPriceOfNow(deps, kind, request, instance)).details;
  if (now !== was) return { kind: 'dearer', was, now };
  // Much may have been spent since the draft. If the service can't be asked, its own answer decides.
  const read = await deps.credit.read(instance, 'interactive');
  const unusable = keyUnusable(instance, troubleIn(read));
  if (unusable) return unusable;
  return read.kind === 'ok' ? shortBalance(was, read.credits) : undefined;
}
