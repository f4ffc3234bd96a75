import type { Json } from '../../ledger/model/json.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import { mayApprove, namedApprovers, type Person } from '../accounts/permissions.ts';
import { TOPICS } from '../topics.ts';
import type { Asked } from './decision-answers.ts';
import { balanceFor, shortBalance } from './draft-balance.ts';
import { atPriceOfNow, mayBeSentAlready, ownDraft, sendableDraft } from './own-draft.ts';
import type { DecisionDeps, DraftKind, Undecided } from './undecided.ts';

/** How a person asks for approval. */
export interface AskedFor {
  /** `budget`: the person asks for an exception to a budget, which only admins grant. */
  why?: 'budget' | undefined;
  /** For a list: also send the texts that repeat other sends. */
  include?: boolean;
  /** Whether none of these people can approve any more. For an empty list: whether nobody else is an admin. */
  isNobodyLeft?(others: readonly string[]): Promise<boolean>;
}

/** **Ask for approval**: a draft becomes a request, once; `reply` replaces how the person is reached. */
export async function askApproval<View extends Undecided>(
  deps: DecisionDeps,
  kind: DraftKind<View>,
  { id, person, reply }: { id: string; person: Person; reply: Json },
  { why, include = false, isNobodyLeft }: AskedFor = {},
): Promise<Asked<View>> {
  const { ledger, credit } = deps;
  const found = await ownDraft(kind, id, person);
  if (found.kind !== 'own') return found;
  const whole = include ? kind.including?.(found.draft) : undefined;
  const { draft, details } = whole ?? { draft: found.draft, details: {} };
  const sendable = await sendableDraft(deps, kind, found.draft, person);
  if (sendable.kind !== 'sendable') return sendable;
  const { link, instance } = sendable.linked;
  const limits = limitsOf(link);
  const named = namedApprovers(limits, why);
  const others = named.filter((each) => each !== person.id);
  const isAlone = named.length > 0 && others.length === 0;
  const isOwn = limits.ownApproval && mayApprove(person, limits, why);
  if (!isOwn && (isAlone || (await isNobodyLeft?.(others)))) return { kind: 'nobody_to_ask', named };
  const unusable = await credit.keyUnusable(instance);
  if (unusable) return unusable;
  const { estimate } = (await atPriceOfNow(deps, kind, draft, instance)).details;
  const { balance } = await balanceFor(credit, instance, estimate);
  const short = shortBalance(estimate, balance);
  if (short) return short;
  // Whoever sends an unknown text again was asked already.
  const words = draft.resends ? undefined : kind.wordsOf?.(draft);
  const same = words && (await ledger.sameWords(draft.team, words.hash));
  const asked = await ledger.decide(id, {
    to: 'awaiting_approval',
    by: person.id,
    mayBeSent: await mayBeSentAlready(deps, draft),
    details: { ...details, estimate, reply },
    approval: { topic: TOPICS.approval, same, ...(why && { why }), ...(whole && { include: true }) },
  });
  const view = await kind.mustView(id);
  return { kind: asked.won ? 'asked' : 'too_late', view };
}
