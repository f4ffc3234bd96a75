import type { Ledger } from '../../ledger/ledger.ts';
import type { Json } from '../../ledger/model/json.ts';
import { approvalLimit } from '../accounts/approvers.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Links } from '../accounts/links.ts';
import { type Person, sendRefusal } from '../accounts/permissions.ts';
import { type Confirmation, type DecideToSend, tooLate, type Undecided } from './decide-to-send.ts';
import type { Confirmed, Own, Standing, Withdrawn } from './decision-answers.ts';

/** Decides drafts, each once, by the person who made it. */
export interface Decisions<View> {
  /** For sending; `reply` replaces how the person is reached. */
  confirm(draft: View | undefined, person: Person, reply: Json, how?: Confirmation): Promise<Confirmed<View>>;
  /** Nothing was sent and nothing will be. */
  withdraw(draft: View | undefined, person: Person, to: 'cancelled' | 'superseded'): Promise<Withdrawn<View>>;
  /** Whether the draft is this person's, and nobody has decided it. */
  own(draft: View | undefined, person: Person): Own<View>;
  /** Whether this person may send the draft, and it still is as the preview showed it. If not, it expires. */
  standing(draft: View, person: Person): Promise<Standing<View>>;
}

/** Decides drafts: checks that they are this person's, that this person may, and that the draft is still what was shown. */
export function createDecisions<View extends Undecided>(deps: {
  ledger: Ledger;
  links: Links;
  mustView(id: string): Promise<View>;
  send: DecideToSend<View>;
}): Decisions<View> {
  const { ledger, links, send } = deps;

  function own(draft: View | undefined, person: Person): Own<View> {
    if (!draft || draft.team !== person.team) return { kind: 'missing' };
    const { by } = draft.details;
    if (by !== person.id) return { kind: 'not_yours', owner: by };
    return draft.state === 'draft' ? { kind: 'own', draft } : tooLate(draft);
  }

  async function standing(draft: View, person: Person): Promise<Standing<View>> {
    const linked = await links.find(draft.team, draft.channel);
    if (!linked) return { kind: 'not_linked', channel: draft.channel };
    const { link, instance } = linked;
    // The channel may have got another instance, or its key another account, since the preview: what was shown goes.
    if (draft.instance !== instance.id || draft.details.accountId !== instance.accountId) {
      const payer = { instance: instance.id, account: instance.accountId };
      await ledger.expireDrafts(draft.team, draft.channel, payer);
      return { kind: 'too_late', why: 'expired', view: await deps.mustView(draft.id) };
    }
    const why = sendRefusal(person, link);
    return why ? { kind: 'refused', why, link } : { kind: 'stands', linked };
  }

  return {
    own,
    standing,
    async confirm(draft, person, reply, how) {
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
      return send(found.draft, linked, { ...how, by: person.id, reply });
    },
    async withdraw(draft, person, to) {
      if (!draft || draft.team !== person.team || draft.details.by !== person.id) return { kind: 'missing' };
      const decided = await ledger.decide(draft.id, { to, by: person.id });
      // What it was about is forgotten, and yet to be said once.
      if (decided.won) return { kind: 'withdrawn', view: { ...draft, state: to } };
      return { kind: 'too_late', view: await deps.mustView(draft.id) };
    },
  };
}
