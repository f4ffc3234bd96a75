import type { Json } from '../../ledger/model/json.ts';
import { exceededApprovalLimit, limitsOf } from '../accounts/channel-limits.ts';
import type { Person } from '../accounts/permissions.ts';
import { createRequests } from './approval-requests.ts';
import { type Confirmation, decideToSend } from './decide-to-send.ts';
import type { Confirmed, Doubtful, Superseded, Withdrawn } from './decision-answers.ts';
import { atPriceOfNow, mayBeSentAlready, ownDraft, sendableDraft, whyDoubtful } from './own-draft.ts';
import type { DecisionDeps, DraftKind, Undecided } from './undecided.ts';

/** Decides drafts, each once. */
export function createDecisions<View extends Undecided>(deps: DecisionDeps, kind: DraftKind<View>) {
  const { view, mustView } = kind;

  async function ofPerson(id: string, person: Person): Promise<View | undefined> {
    const draft = await view(id);
    return draft?.team === person.team && draft.details.by === person.id ? draft : undefined;
  }

  /** Why the draft may be an old copy. Only the balance of the account that it names can tell. */
  async function doubtOf(draft: View, onWait?: Confirmation['onWait']): Promise<Doubtful<View> | undefined> {
    const { accountId } = draft.details;
    const linked = await deps.links.find(draft.team, draft.channel);
    if (linked?.instance.accountId === accountId)
      return whyDoubtful(deps, kind, draft, { ...linked, onWait });
    return deps.books.mayBeOld(accountId, draft.createdAt) ? { kind: 'no_balance' } : undefined;
  }

  async function end(
    draft: View | undefined,
    by: string,
    to: 'cancelled' | 'superseded',
  ): Promise<Withdrawn<View>> {
    if (!draft) return { kind: 'missing' };
    const { id } = draft;
    const mayBeSent = await mayBeSentAlready(deps, draft);
    const decided = await deps.ledger.decide(id, { to, by, mayBeSent });
    if (!decided.won) return { kind: 'too_late', view: await mustView(id) };
    // The ledger forgets what the draft held, but its last message shows it once more.
    return { kind: 'withdrawn', view: { ...draft, state: to, ...(mayBeSent && { mayBeSent }) } };
  }

  return {
    /** Drafts that a second person decides. */
    requests: createRequests(deps, kind),
    /** Sends the draft, for the person who made it; `reply` replaces how they are reached. */
    async confirm(id: string, person: Person, reply: Json, how?: Confirmation): Promise<Confirmed<View>> {
      const found = await ownDraft(kind, id, person);
      if (found.kind !== 'own') return found;
      const whole = how?.include ? kind.including?.(found.draft) : undefined;
      const shown = (whole ?? found).draft;
      const sendable = await sendableDraft(deps, kind, shown, person);
      if (sendable.kind !== 'sendable') return sendable;
      const { linked } = sendable;
      // Budgets, approval and the balance must cover what it costs now.
      const draft = await atPriceOfNow(deps, kind, shown, linked.instance);
      const { estimate } = draft.details;
      const limits = limitsOf(linked.link);
      const above = exceededApprovalLimit(limits, estimate);
      if (above !== undefined) {
        return { kind: 'needs_approval', asked: estimate.credits, above, approvers: limits.approvers };
      }
      return decideToSend(deps, kind, { draft, linked }, { ...how, by: person.id, reply });
    },
    /** Withdraws the draft, for the person who made it. Nothing will be sent; an old copy of the data may have been sent. */
    async withdraw(id: string, person: Person): Promise<Withdrawn<View>> {
      return end(await ofPerson(id, person), person.id, 'cancelled');
    },
    /**
     * The same for a draft whose words go on in another one, so an old copy of a sent draft has to be found first. If the
     * store has forgotten decisions, both drafts warn of that already. `onWait`: as in `Confirmation`.
     */
    async supersede(id: string, person: Person, onWait?: Confirmation['onWait']): Promise<Superseded<View>> {
      const draft = await ofPerson(id, person);
      const doubtful = draft && !draft.mayBeSent ? await doubtOf(draft, onWait) : undefined;
      return doubtful ?? end(draft, person.id, 'superseded');
    },
  };
}
