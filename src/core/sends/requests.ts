import type { Ledger } from '../../ledger/ledger.ts';
import type { ApprovalWord } from '../../ledger/model/approval-types.ts';
import type { Decision, SendDetailsChange } from '../../ledger/model/decision-types.ts';
import type { Json } from '../../ledger/model/types.ts';
import { isOwnRequest } from '../../ledger/rules/approvals.ts';
import { mayApprove, namedApprovers } from '../accounts/approvers.ts';
import { type Credit, isKeyRefused } from '../accounts/credit.ts';
import { limitsOf } from '../accounts/limits.ts';
import type { Linked, Links } from '../accounts/links.ts';
import type { Person } from '../accounts/permissions.ts';
import { TOPICS } from '../topics.ts';
import type { CreditsShort, NoBalance, Own, Sent, Standing } from './decision-answers.ts';
import type { Decisions, Undecided } from './decisions.ts';
import { balanceFor, shortOf } from './draft-balance.ts';
import type { Estimate } from './estimate.ts';
import type { PriceBook } from './prices.ts';

/** Who declines a request that no longer fits what was drafted. No person has this id. */
export const SWITCHBOARD = 'switchboard';

/** An admin has asked to unlink the channel once its jobs are done. */
type Unlinking = { kind: 'unlinking' };

/** What is no reason to send a request back. */
type Decided = { kind: 'running' | 'missing' | 'too_late' | 'repeated' | 'own_request' | 'no_balance' };

/** What came of **Ask for approval**; `view` is the request. */
export type Asked<View> =
  | { kind: 'asked'; view: View }
  | Exclude<Own<View>, { kind: 'own' }>
  | Exclude<Standing<View>, { kind: 'stands' }>
  | CreditsShort
  | { kind: 'key_refused'; instanceName: string }
  /** None of the approvers can approve it; of the admins, where nobody is named. */
  | { kind: 'nobody_to_ask'; named: readonly string[] }
  | Unlinking;

/** Why an approved request is not sent: it goes back to whoever asked. */
export type Unfit<View> =
  | Exclude<Sent<View> | Standing<View>, Decided | { kind: 'stands' }>
  | { kind: 'key_refused'; instanceName: string }
  /** Texts cost more by now than the request says. */
  | { kind: 'dearer'; was: Estimate; now: Estimate }
  /** Whoever asked has left the channel. */
  | { kind: 'asker_away' }
  /** The number of the text was opted out since. */
  | { kind: 'opted_out' }
  | Unlinking;

/** What came of **Approve and send**. */
export type Approved<View> =
  | { kind: 'running'; view: View }
  | { kind: 'missing' }
  | { kind: 'not_approver'; approvers: readonly string[] }
  | { kind: 'own_request' }
  | { kind: 'too_late'; view: View }
  /** As for **Send**: the request still waits. */
  | NoBalance
  | { kind: 'unfit'; why: Unfit<View> };

/** What came of **Decline**, or of sending a request back. */
export type Declined<View> =
  | { kind: 'declined'; view: View }
  | { kind: 'missing' }
  | { kind: 'not_approver'; approvers: readonly string[] }
  | { kind: 'too_late'; view: View };

/** What is asked for, beside that it is sent. */
export interface AskedFor {
  why?: 'budget' | undefined;
  include?: boolean;
  /** Whether none of these people can approve any more; where none is named, whether nobody else is an admin. */
  isNobodyLeft?(others: readonly string[]): Promise<boolean>;
}

/** Requests that a second person decides. */
export interface Requests<View> {
  /**
   * Asks for approval, once; `reply` replaces how the person is reached. `why`: an exception that only admins grant.
   * `include`: of a list, what repeats other sends goes, too.
   */
  ask(id: string, person: Person, reply: Json, how?: AskedFor): Promise<Asked<View>>;
  /**
   * Sends the request, once. Everything is checked again: who asked may still send, and it is what was drafted, at no
   * higher price. `asker` looks up who asked, once the approver is known to be one; undefined: they have left the channel.
   */
  approve(
    id: string,
    approver: Person,
    asker: (user: string) => Promise<Person | undefined>,
  ): Promise<Approved<View>>;
  decline(id: string, approver: Person, reason: string): Promise<Declined<View>>;
  /** Declines a request that no longer fits, on nobody's word. */
  sendBack(id: string, reason: string): Promise<Declined<View>>;
}

export function createRequests<View extends Undecided>(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  prices: PriceBook;
  /** Of each message, in segments. */
  segmentsOf(draft: View): number[];
  /** The draft of a list with what repeats other sends, and what to remember of that. */
  including?(draft: View): { draft: View; details: SendDetailsChange };
  /** What the repeat guard knows a single text by. */
  wordsOf?(draft: View): Decision['words'];
  /** Whether nobody may text the number of a single text any more. Of a list, each request leaves such numbers out. */
  isOptedOut?(draft: View): Promise<boolean>;
  /** Whether no new one may begin in the channel. */
  isUnlinking(linked: Linked): boolean;
  view(id: string): Promise<View | undefined>;
  mustView(id: string): Promise<View>;
  decisions: Pick<Decisions<View>, 'own' | 'standing' | 'send'>;
}): Requests<View> {
  const { ledger, links, credit, prices, mustView, decisions } = deps;

  /** The request with its link, where this person may decide it; else why not. */
  async function decidable(id: string, approver: Person) {
    const request = await deps.view(id);
    if (!request?.approval || request.team !== approver.team) return { kind: 'missing' as const };
    if (request.state !== 'awaiting_approval') return { kind: 'too_late' as const, view: request };
    const linked = await links.find(request.team, request.channel);
    if (!linked) {
      await ledger.expireDrafts(request.team, request.channel);
      return { kind: 'too_late' as const, view: await mustView(request.id) };
    }
    const limits = limitsOf(linked.link);
    const { approval } = request;
    if (!mayApprove(approver, limits, approval.why)) {
      return { kind: 'not_approver' as const, approvers: namedApprovers(limits, approval.why) };
    }
    return { kind: 'decidable' as const, request, approval, limits };
  }

  async function decline(id: string, by: string, reason: string): Promise<Declined<View>> {
    const decided = await ledger.decide(id, { to: 'declined', by, approval: { reason } });
    return { kind: decided.won ? 'declined' : 'too_late', view: await mustView(id) };
  }

  /** Why the request no longer fits what was drafted, beside what **Send** checks. */
  async function changed(request: View, linked: Linked): Promise<Unfit<View> | undefined> {
    const { instance } = linked;
    if (deps.isUnlinking(linked)) return { kind: 'unlinking' };
    if (await deps.isOptedOut?.(request)) return { kind: 'opted_out' };
    const was = request.details.estimate;
    const now = await prices.estimate(instance.accountId, deps.segmentsOf(request));
    if (now.credits > was.credits) return { kind: 'dearer', was, now };
    // Much may have been spent since the draft. Where the service can't be asked, its own answer decides.
    const read = await credit.read(instance, 'interactive');
    if (read.kind === 'key_refused') return { kind: 'key_refused', instanceName: instance.name };
    return read.kind === 'ok' ? shortOf(was, read.credits) : undefined;
  }

  return {
    async ask(id, person, reply, { why, include = false, isNobodyLeft } = {}) {
      const found = decisions.own(await deps.view(id), person);
      if (found.kind !== 'own') return found;
      const whole = include ? deps.including?.(found.draft) : undefined;
      const { draft, details } = whole ?? { draft: found.draft, details: {} };
      const stands = await decisions.standing(found.draft, person);
      if (stands.kind !== 'stands') return stands;
      const { link, instance } = stands.linked;
      if (deps.isUnlinking(stands.linked)) return { kind: 'unlinking' };
      const limits = limitsOf(link);
      const named = namedApprovers(limits, why);
      const others = named.filter((each) => each !== person.id);
      const isAlone = named.length > 0 && others.length === 0;
      const isOwn = limits.ownApproval && mayApprove(person, limits, why);
      if (!isOwn && (isAlone || (await isNobodyLeft?.(others)))) return { kind: 'nobody_to_ask', named };
      if (await isKeyRefused(credit, instance)) return { kind: 'key_refused', instanceName: instance.name };
      const { estimate } = draft.details;
      const { balance } = await balanceFor(credit, instance, estimate);
      const short = shortOf(estimate, balance);
      if (short) return short;
      const words = deps.wordsOf?.(draft);
      const same = words && (await ledger.sameWords(draft.team, words.hash));
      const asked = await ledger.decide(id, {
        ...{ to: 'awaiting_approval', by: person.id, details: { ...details, reply } },
        approval: { topic: TOPICS.approval, same, ...(why && { why }), ...(whole && { include: true }) },
      });
      const view = await mustView(id);
      if (asked.won) return { kind: 'asked', view };
      return { kind: 'too_late', why: asked.why === 'expired' ? 'expired' : 'decided', view };
    },

    async approve(id, approver, findAsker) {
      const found = await decidable(id, approver);
      if (found.kind !== 'decidable') return found;
      const { approval, limits } = found;
      const word: ApprovalWord = {
        isOwnAllowed: limits.ownApproval,
        ...(approval.why === 'budget' && { exceptBudget: true }),
      };
      if (isOwnRequest(approval, approver.id, word)) return { kind: 'own_request' };
      const asker = await findAsker(approval.askedBy);
      if (!asker) return { kind: 'unfit', why: { kind: 'asker_away' } };
      const stands = await decisions.standing(found.request, asker);
      if (stands.kind === 'too_late') return { kind: 'too_late', view: stands.view };
      if (stands.kind !== 'stands') return { kind: 'unfit', why: stands };
      const why = await changed(found.request, stands.linked);
      if (why) return { kind: 'unfit', why };
      const { same, include } = approval;
      const sent = await decisions.send(found.request, stands.linked, {
        ...{ by: approver.id, approval: word },
        ...{ allowed: same?.send, include },
      });
      switch (sent.kind) {
        case 'running':
        case 'missing':
        case 'own_request':
        case 'no_balance':
          return sent;
        case 'too_late':
        case 'repeated':
          return { kind: 'too_late', view: await mustView(id) };
        default:
          return { kind: 'unfit', why: sent };
      }
    },

    async decline(id, approver, reason) {
      const found = await decidable(id, approver);
      return found.kind === 'decidable' ? decline(id, approver.id, reason) : found;
    },

    sendBack: (id, reason) => decline(id, SWITCHBOARD, reason),
  };
}
