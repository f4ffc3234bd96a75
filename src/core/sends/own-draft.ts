import { isUndecidedSend } from '../../ledger/model/send-states.ts';
import type { Instance } from '../accounts/instances.ts';
import type { Linked, Links } from '../accounts/links.ts';
import { compareOnce, isCurrent } from '../accounts/old-copy.ts';
import { type Person, sendRefusal } from '../accounts/permissions.ts';
import type { Doubtful, NotAllowed, Own, SendableDraft } from './decision-answers.ts';
import type { DecisionDeps, DraftKind, Undecided } from './undecided.ts';

/** The channel's link, if this person may send from there. */
export async function sendableLink(
  links: Pick<Links, 'find'>,
  channel: string,
  person: Person,
): Promise<{ kind: 'linked'; linked: Linked } | NotAllowed> {
  const linked = await links.find(person.team, channel);
  if (!linked) return { kind: 'not_linked', channel };
  const why = sendRefusal(person, linked.link);
  return why ? { kind: 'refused', why, link: linked.link } : { kind: 'linked', linked };
}

/** The draft, if it is this person's and nobody has decided it. */
export async function ownDraft<View extends Undecided>(
  { view }: DraftKind<View>,
  id: string,
  person: Person,
): Promise<Own<View>> {
  const draft = await view(id);
  if (!draft || draft.team !== person.team) return { kind: 'missing' };
  const { by } = draft.details;
  if (by !== person.id) return { kind: 'not_yours', owner: by };
  return draft.state === 'draft' ? { kind: 'own', draft } : { kind: 'too_late', view: draft };
}

/**
 * The draft's link, if this person may send it. If the preview showed another instance or account, or messages that the
 * store has lost since, the draft expires.
 */
export async function sendableDraft<View extends Undecided>(
  { ledger, links }: DecisionDeps,
  { mustView, isUnlinking, isCut }: DraftKind<View>,
  draft: View,
  person: Person,
): Promise<SendableDraft<View>> {
  if (isCut?.(draft)) {
    await ledger.expireDraft(draft.id);
    return { kind: 'too_late', view: await mustView(draft.id) };
  }
  const linked = await links.find(draft.team, draft.channel);
  if (!linked) return { kind: 'not_linked', channel: draft.channel };
  const { link, instance } = linked;
  // Since the preview, the channel may have got another instance, or its key another account: the preview is wrong.
  if (draft.instance !== instance.id || draft.details.accountId !== instance.accountId) {
    const butPaidBy = { instance: instance.id, account: instance.accountId };
    await ledger.expireDrafts(draft.team, draft.channel, { why: 'other_payer', butPaidBy });
    return { kind: 'too_late', view: await mustView(draft.id) };
  }
  const why = sendRefusal(person, link);
  if (why) return { kind: 'refused', why, link };
  return isUnlinking(link) ? { kind: 'unlinking' } : { kind: 'sendable', linked };
}

/**
 * Whether the bot may have sent this already, and this is an old copy of it. Reads the balance once if that tells. `from`:
 * from when it may have gone out (ms, the store's clock).
 */
export async function mayBeSentAlready(
  deps: Pick<DecisionDeps, 'links' | 'books' | 'credit'>,
  { team, channel, createdAt, details: { accountId } }: Undecided,
  from = createdAt,
): Promise<boolean> {
  if (!deps.books.mayBeOld(accountId, from)) return false;
  const linked = await deps.links.find(team, channel);
  await compareOnce(deps, linked?.instance, accountId);
  return deps.books.mayBeOld(accountId, from);
}

/** The answer if the bot may have sent the draft already, and this is an old copy of it. `onWait`: see `isCurrent`. */
export async function whyDoubtful<View extends Undecided>(
  deps: DecisionDeps,
  { mustView }: Pick<DraftKind<View>, 'mustView'>,
  { id, createdAt }: View,
  { instance, onWait }: { instance: Instance; onWait?: (() => Promise<void>) | undefined },
): Promise<Doubtful<View> | undefined> {
  if (await isCurrent(deps, instance, createdAt, onWait)) return undefined;
  const view = await mustView(id);
  return isUndecidedSend(view.state) ? { kind: 'no_balance' } : { kind: 'too_late', view };
}

/** The draft at the price of now, if texts cost more by now than its preview said. Otherwise the draft itself. */
export async function atPriceOfNow<View extends Undecided>(
  { prices }: Pick<DecisionDeps, 'prices'>,
  { segmentsOf }: Pick<DraftKind<View>, 'segmentsOf'>,
  draft: View,
  { accountId }: Pick<Instance, 'accountId'>,
): Promise<View> {
  const estimate = await prices.estimate(accountId, segmentsOf(draft));
  if (estimate.credits <= draft.details.estimate.credits) return draft;
  return { ...draft, details: { ...draft.details, estimate } };
}
