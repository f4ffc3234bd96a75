import type { Decided, Json, Ledger, SendRecord } from '../store/ledger.ts';
import type { Link } from '../store/records.ts';
import type { Clock } from './clock.ts';
import type { Credit } from './credit.ts';
import type { Links } from './links.ts';
import { type Person, type SendRefusal, sendRefusal } from './permissions.ts';

/** What a decision looks at of a draft, single or job. */
export interface Undecided {
  id: string;
  team: string;
  channel: string;
  state: SendRecord['state'];
  /** Which instance sends, as the preview showed it. */
  instance: string;
  /** Who drafted it: nobody else may decide it. Who pays, and how many credits, as the preview showed them. */
  details: { by: string; accountId: string; estimate: { credits: number } };
}

/** What came of pressing Send. */
export type DecisionMade =
  | { kind: 'decided'; send: SendRecord }
  | { kind: 'missing' }
  | { kind: 'not_yours'; owner: string }
  | { kind: 'not_linked' }
  | { kind: 'refused'; why: SendRefusal; link: Link }
  | { kind: 'credits_short'; needed: number; available: number }
  | { kind: 'too_late'; why: 'decided' | 'expired' }
  | { kind: 'resend_refused'; why: 'resent_already' | 'not_unknown' | 'too_early' };

/** A balance this old is good enough for a preview, in ms. */
export const BALANCE_FOR_DRAFT_MS = 30_000;

/**
 * Decides drafts for sending: asked anew whether this person may, whether it still is what was shown, and whether there
 * are credits; then once in the ledger, whoever else asks at the same time.
 */
export function createDecisions(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  clock: Clock;
}): (draft: Undecided | undefined, person: Person, reply: Json) => Promise<DecisionMade> {
  const { ledger, links, credit, clock } = deps;

  return async (draft, person, reply) => {
    if (!draft || draft.team !== person.team) return { kind: 'missing' };
    const { by, accountId, estimate } = draft.details;
    if (by !== person.id) return { kind: 'not_yours', owner: by };
    if (draft.state !== 'draft') {
      return { kind: 'too_late', why: draft.state === 'expired' ? 'expired' : 'decided' };
    }
    const linked = await links.find(draft.team, draft.channel);
    if (!linked) return { kind: 'not_linked' };
    const { link, instance } = linked;
    // The channel may have got another instance, or its key another account, since the preview: what was shown goes.
    if (draft.instance !== instance.id || accountId !== instance.accountId) {
      await ledger.expireDrafts(draft.team, draft.channel);
      return { kind: 'too_late', why: 'expired' };
    }
    const why = sendRefusal(person, link);
    if (why) return { kind: 'refused', why, link };
    // Only a fresh figure can say no here; without one the service's own answer decides.
    const known = await credit.known(instance);
    const fresh = known && ledger.now() - known.asOf <= BALANCE_FOR_DRAFT_MS ? known.credits : undefined;
    const needed = estimate.credits;
    const available = await credit.askIfShort(instance, fresh, needed);
    if (available !== undefined && available < needed) return { kind: 'credits_short', needed, available };
    const confirmedAt = clock.wall();
    return made(
      await ledger.decide(draft.id, { to: 'running', by: person.id, details: { reply, confirmedAt } }),
    );
  };
}

function made(decided: Decided): DecisionMade {
  if (decided.won) return { kind: 'decided', send: decided.send };
  switch (decided.why) {
    case 'missing':
      return { kind: 'missing' };
    case 'decided':
    case 'expired':
      return { kind: 'too_late', why: decided.why };
    case 'resent_already':
    case 'not_unknown':
    case 'too_early':
      return { kind: 'resend_refused', why: decided.why };
  }
}
