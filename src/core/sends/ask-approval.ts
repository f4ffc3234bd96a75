import type { Ledger } from '../../ledger/ledger.ts';
import type { Decision, SendDetailsChange } from '../../ledger/model/decision-types.ts';
import type { Json } from '../../ledger/model/json.ts';
import { mayApprove, namedApprovers } from '../accounts/approvers.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Linked } from '../accounts/links.ts';
import type { Person } from '../accounts/permissions.ts';
import { TOPICS } from '../topics.ts';
import type { Asked } from './approval-answers.ts';
import type { Undecided } from './decide-to-send.ts';
import type { Decisions } from './decisions.ts';
import { balanceFor, shortBalance } from './draft-balance.ts';

/** What is asked for, beside that it is sent. */
export interface AskedFor {
  why?: 'budget' | undefined;
  include?: boolean;
  /** Whether none of these people can approve any more; where none is named, whether nobody else is an admin. */
  isNobodyLeft?(others: readonly string[]): Promise<boolean>;
}

/**
 * **Ask for approval**: a draft becomes a request, once; `reply` replaces how the person is reached. `why`: an exception
 * that only admins grant. `include`: of a list, what repeats other sends goes, too.
 */
export type AskApproval<View> = (
  id: string,
  person: Person,
  reply: Json,
  how?: AskedFor,
) => Promise<Asked<View>>;

export interface AskDeps<View> {
  ledger: Ledger;
  credit: Credit;
  /** The draft of a list with what repeats other sends, and what to remember of that. */
  including?(draft: View): { draft: View; details: SendDetailsChange };
  /** What the repeat guard knows a single text by. */
  wordsOf?(draft: View): Decision['words'];
  /** Whether no new one may begin in the channel. */
  isUnlinking(linked: Linked): boolean;
  view(id: string): Promise<View | undefined>;
  mustView(id: string): Promise<View>;
  decisions: Pick<Decisions<View>, 'own' | 'standing'>;
}

export function createAskApproval<View extends Undecided>(deps: AskDeps<View>): AskApproval<View> {
  const { ledger, credit, mustView, decisions } = deps;

  return async (id, person, reply, { why, include = false, isNobodyLeft } = {}) => {
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
    if (await credit.isKeyRefused(instance)) return { kind: 'key_refused', instanceName: instance.name };
    const { estimate } = draft.details;
    const { balance } = await balanceFor(credit, instance, estimate);
    const short = shortBalance(estimate, balance);
    if (short) return short;
    const words = deps.wordsOf?.(draft);
    const same = words && (await ledger.sameWords(draft.team, words.hash));
    const asked = await ledger.decide(id, {
      to: 'awaiting_approval',
      by: person.id,
      details: { ...details, reply },
      approval: { topic: TOPICS.approval, same, ...(why && { why }), ...(whole && { include: true }) },
    });
    const view = await mustView(id);
    if (asked.won) return { kind: 'asked', view };
    return { kind: 'too_late', why: asked.why === 'expired' ? 'expired' : 'decided', view };
  };
}
