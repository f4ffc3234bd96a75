import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { ApprovalWord } from '../../ledger/model/approval-types.ts';
import type { Decision, DecisionResult, SendDetailsChange } from '../../ledger/model/decision-types.ts';
import { isUndecidedSend } from '../../ledger/model/send-states.ts';
import type { Json, LeftOut, SendRecord } from '../../ledger/model/types.ts';
import type { Link } from '../../records/schema.ts';
import { approvalLimit } from '../accounts/approvers.ts';
import type { Credit } from '../accounts/credit.ts';
import { limitsOf } from '../accounts/limits.ts';
import type { Linked, Links } from '../accounts/links.ts';
import type { IsCurrent } from '../accounts/old-copy.ts';
import { type Person, sendRefusal } from '../accounts/permissions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../clock.ts';
import { onceFor } from '../repeats.ts';
import type { CommonView } from './common-view.ts';
import type { Confirmed, ListTooLong, Own, Sent, Standing, Withdrawn } from './decision-answers.ts';
import { BALANCE_FOR_DRAFT_MS, shortOf } from './draft-balance.ts';
import type { Estimate } from './estimate.ts';
import type { ChunkResult } from './outcome.ts';

/** What a decision looks at of a draft, single or job. */
export interface Undecided
  extends Pick<CommonView, 'id' | 'team' | 'channel' | 'state' | 'createdAt' | 'approval'> {
  /** Which instance sends, as the preview showed it. */
  instance: string;
  /** Who drafted it: nobody else may decide it. Who pays, and how many credits, as the preview showed them. */
  details: { by: string; accountId: string; estimate: Estimate };
}

/** On whose word something is sent. */
export interface SendWord {
  by: string;
  /** How the person is reached from now on, where that changes. */
  reply?: Json;
  /** Names what asks for it. */
  request?: string | undefined;
  /** The send of the same words that the person was told of. */
  allowed?: string | undefined;
  /** Of a list: whether what repeats other sends goes, too. */
  include?: boolean | undefined;
  approval?: ApprovalWord;
}

/** A decision that somebody or something else had made before. */
type Lost = Extract<DecisionResult, { won: false }>;

/** How a draft is confirmed beside by whom. */
export interface Confirmation {
  /** Names what asks for it. */
  request?: string | undefined;
  /** The send of the same words that the person was told of: **Send anyway**. */
  allowed?: string | undefined;
  /** Of a list: what others sent already goes too. */
  include?: boolean | undefined;
}

const REPEATED: ChunkResult = { cause: 'repeated' };
/** Why a list's repeats are not sent. */
const REPEATS_LEFT_OUT: LeftOut = { result: REPEATED, barredFor: 'repeated' };

/** Somebody or something else has decided the draft. */
function tooLate<View extends Undecided>(view: View): Extract<Sent<View>, { kind: 'too_late' }> {
  return { kind: 'too_late', why: view.state === 'expired' ? 'expired' : 'decided', view };
}

/** Decides drafts, each once, by the person who made it. */
export interface Decisions<View> {
  /** For sending; `reply` replaces how the person is reached. */
  confirm(draft: View | undefined, person: Person, reply: Json, how?: Confirmation): Promise<Confirmed<View>>;
  /** Nothing was sent and nothing will be. */
  withdraw(draft: View | undefined, person: Person, to: 'cancelled' | 'superseded'): Promise<Withdrawn<View>>;
  /** Whether the draft is this person's, and nobody has decided it. */
  own(draft: View | undefined, person: Person): Own<View>;
  /** Whether this person may send it, and it is still what was shown; what is not expires. */
  standing(draft: View, person: Person): Promise<Standing<View>>;
  /** Decides for sending, where credits are there. The caller has checked all else. */
  send(draft: View, linked: Linked, word: SendWord): Promise<Sent<View>>;
}

/**
 * Decides drafts for sending: checks again that this person may, that the draft is still what was shown, that it is from
 * no old copy of the data, and that there are credits. Then the ledger decides once, whoever else asks at the same time.
 */
export function createDecisions<View extends Undecided>(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  budgets: Pick<Budgets, 'asked'>;
  isCurrent: IsCurrent;
  clock: Clock;
  mustView(id: string): Promise<View>;
  /** What changes about the details of a draft that is sent: it lets go of what only a draft needs. */
  whenSent(draft: View): SendDetailsChange;
  /** Whether the draft is longer than lists may be here. */
  tooLong?(draft: View, link: Link): ListTooLong | undefined;
  /** What becomes due with the decision for sending. */
  announces(draft: View): Announcement;
  /** What the repeat guard knows a single text by. */
  wordsOf?(draft: View): Decision['words'];
  /** What it gets back of that where it is undone. */
  ifUndone?(draft: View): SendDetailsChange;
  /** How long it waits after that, in ms, so that it can be undone. */
  undoMs(link: Link): number;
  /** Told when a draft was decided for sending. */
  onRunning(send: SendRecord): Promise<void>;
}): Decisions<View> {
  const { ledger, links, credit, budgets, clock } = deps;

  function own(draft: View | undefined, person: Person): Own<View> {
    if (!draft || draft.team !== person.team) return { kind: 'missing' };
    const { by } = draft.details;
    if (by !== person.id) return { kind: 'not_yours', owner: by };
    return draft.state === 'draft' ? { kind: 'own', draft } : tooLate(draft);
  }

  async function standing(draft: View, person: Person): Promise<Standing<View>> {
    const linked = await links.find(draft.team, draft.channel);
    if (!linked) return { kind: 'not_linked' };
    const { link, instance } = linked;
    // The channel may have got another instance, or its key another account, since the preview: what was shown goes.
    if (draft.instance !== instance.id || draft.details.accountId !== instance.accountId) {
      await ledger.expireDrafts(draft.team, draft.channel);
      return { kind: 'too_late', why: 'expired', view: await deps.mustView(draft.id) };
    }
    const why = sendRefusal(person, link);
    return why ? { kind: 'refused', why, link } : { kind: 'stands', linked };
  }

  async function confirm(
    draft: View | undefined,
    person: Person,
    reply: Json,
    { request, allowed, include }: Confirmation = {},
  ): Promise<Confirmed<View>> {
    const found = own(draft, person);
    if (found.kind !== 'own') return found;
    const stands = await standing(found.draft, person);
    if (stands.kind !== 'stands') return stands;
    const { linked } = stands;
    const { estimate } = found.draft.details;
    const limits = limitsOf(linked.link);
    const above = approvalLimit(limits, estimate);
    if (above !== undefined) {
      return { kind: 'needs_approval', asked: estimate.credits, above, approvers: limits.approvers };
    }
    return send(found.draft, linked, { by: person.id, reply, request, allowed, include });
  }

  async function send(
    draft: View,
    { link, instance }: Linked,
    { by, reply, request, allowed, include, approval }: SendWord,
  ): Promise<Sent<View>> {
    const { estimate } = draft.details;
    const tooLong = deps.tooLong?.(draft, link);
    if (tooLong) return tooLong;
    if (!(await deps.isCurrent(instance, draft.createdAt))) {
      const view = await deps.mustView(draft.id);
      return isUndecidedSend(view.state) ? { kind: 'no_balance' } : tooLate(view);
    }
    // Only a fresh figure can say no here; without one the service's own answer decides.
    const known = await credit.known(instance);
    const fresh = known && ledger.now() - known.asOf <= BALANCE_FOR_DRAFT_MS ? known.credits : undefined;
    const short = shortOf(estimate, await credit.askIfShort(instance, fresh, estimate.credits));
    if (short) return short;
    const confirmedAt = clock.wall();
    const details = { ...deps.whenSent(draft), ...(reply === undefined ? {} : { reply }), confirmedAt };
    const words = deps.wordsOf?.(draft);
    const budget = await budgets.asked(link, draft.details.by, estimate);
    const decided = await ledger.decide(draft.id, {
      ...{ to: 'running', by, details, budget },
      ...{ announces: deps.announces(draft), startsInMs: deps.undoMs(link) },
      repeats: include ? 'include' : REPEATS_LEFT_OUT,
      ...(words && { words: { ...words, ...(allowed !== undefined && { allowed }) } }),
      ...(approval && { approval }),
      ...(deps.ifUndone && { ifUndone: deps.ifUndone(draft) }),
      ...(request === undefined ? {} : { once: onceFor(request) }),
    });
    if (!decided.won) return answerTo(decided, draft.id);
    await deps.onRunning(decided.send);
    const { startsAt } = decided.send;
    return {
      kind: 'running',
      view: { ...draft, state: 'running', ...(startsAt !== undefined && { startsAt }) },
    };
  }

  async function answerTo(decided: Lost, id: string): Promise<Sent<View>> {
    switch (decided.why) {
      case 'missing':
      case 'repeated':
      case 'own_request':
        return { kind: decided.why };
      case 'decided':
      case 'expired':
        return { kind: 'too_late', why: decided.why, view: await deps.mustView(id) };
      case 'same_words':
        return { kind: 'same_words', same: decided.same, view: await deps.mustView(id) };
      case 'over_budget':
        return { kind: decided.why, over: decided.over, view: await deps.mustView(id) };
      case 'resent_already':
      case 'said_sent':
      case 'not_unknown':
      case 'too_early':
        return { kind: 'resend_refused', why: decided.why, view: await deps.mustView(id) };
    }
  }

  return {
    confirm,
    own,
    standing,
    send,
    async withdraw(draft, person, to) {
      if (!draft || draft.team !== person.team || draft.details.by !== person.id) return { kind: 'missing' };
      const decided = await ledger.decide(draft.id, { to, by: person.id });
      // What it was about is forgotten, and yet to be said once.
      if (decided.won) return { kind: 'withdrawn', view: { ...draft, state: to } };
      return { kind: 'too_late', view: await deps.mustView(draft.id) };
    },
  };
}
