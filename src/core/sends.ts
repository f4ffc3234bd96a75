import { randomBytes } from 'node:crypto';
import type { ChunkRef, Json, Ledger, SendRecord } from '../store/ledger.ts';
import type { Instance, Link } from '../store/records.ts';
import type { Clock } from './clock.ts';
import type { Credit } from './credit.ts';
import type { Links } from './links.ts';
import { type Person, type SendRefusal, sendRefusal } from './permissions.ts';
import type { ReadNumber } from './phone.ts';
import type { PriceBook } from './prices.ts';
import type { SendDetails } from './results.ts';
import { readSendView, type SendView } from './send-view.ts';
import { TOPICS } from './topics.ts';

export type { ChunkRef } from '../store/ledger.ts';

/** A channel's link with its instance. */
export interface Linked {
  link: Link;
  instance: Instance;
}

/** What came of asking for a preview. */
export type Drafted =
  | { kind: 'draft'; view: SendView; linked: Linked; crossesThreshold: boolean }
  | { kind: 'not_linked' }
  | { kind: 'refused'; why: SendRefusal; link: Link }
  | { kind: 'credits_short'; needed: number; available: number }
  | { kind: 'key_refused'; instance: Instance };

/** What came of pressing Send. */
export type Confirmed =
  | { kind: 'running'; view: SendView }
  | { kind: 'missing' }
  | { kind: 'not_yours'; owner: string }
  | { kind: 'not_linked' }
  | { kind: 'refused'; why: SendRefusal; link: Link }
  | { kind: 'credits_short'; needed: number; available: number }
  | { kind: 'too_late'; why: 'decided' | 'expired'; view: SendView }
  | { kind: 'resend_refused'; why: 'resent_already' | 'not_unknown' | 'too_early'; view: SendView };

/** Single sends, from preview to receipt. */
export interface Sends {
  draft(input: DraftInput): Promise<Drafted>;
  /** Decides a draft for sending, once; `reply` replaces how the person is reached. */
  confirm(id: string, person: Person, reply: Json): Promise<Confirmed>;
  /** Withdraws a draft: nothing was sent and nothing will be. */
  withdraw(
    id: string,
    person: Person,
    to: 'cancelled' | 'superseded',
  ): Promise<
    { kind: 'withdrawn'; view: SendView } | { kind: 'too_late'; view: SendView } | { kind: 'missing' }
  >;
  view(id: string): Promise<SendView | undefined>;
}

/** Who wants to send what to whom, from where. */
export interface DraftInput {
  channel: string;
  person: Person;
  number: ReadNumber;
  text: string;
  reply: Json;
  resends?: ChunkRef;
}

/** A balance this old is good enough for a preview, in ms. */
const BALANCE_FOR_DRAFT_MS = 30_000;

export function createSends(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  prices: PriceBook;
  draftTtlMs: number;
  clock: Clock;
  /** Told when a draft was decided for sending. */
  onConfirmed(send: SendRecord): Promise<void>;
}): Sends {
  const { ledger, links, credit, prices } = deps;

  const view = (id: string) => readSendView(ledger, id);

  async function mustView(id: string): Promise<SendView> {
    const found = await view(id);
    if (!found) throw new Error(`the send ${id} is gone from the ledger`);
    return found;
  }

  /** A known figure that is too low is asked for anew: somebody may have topped up a moment ago. */
  async function enoughOrAsked(instance: Instance, known: number | undefined, needed: number) {
    if (known === undefined || known >= needed) return known;
    const read = await credit.read(instance, 'interactive');
    return read.kind === 'ok' ? read.credits : known;
  }

  return {
    view,

    async draft({ channel, person, number, text, reply, resends }) {
      const linked = await links.find(person.team, channel);
      if (!linked) return { kind: 'not_linked' };
      const { link, instance } = linked;
      const why = sendRefusal(person, link);
      if (why) return { kind: 'refused', why, link };
      // A refused key may work again by now: asked anew, so that nobody waits for the next poll.
      if (
        instance.keyRefusedAt !== undefined &&
        (await credit.read(instance, 'interactive')).kind === 'key_refused'
      ) {
        return { kind: 'key_refused', instance };
      }

      const [recent, estimate] = await Promise.all([
        credit.recent(instance, BALANCE_FOR_DRAFT_MS),
        prices.estimate(instance.accountId, [text]),
      ]);
      const balance = await enoughOrAsked(instance, recent, estimate.credits);
      if (balance !== undefined && balance < estimate.credits) {
        return { kind: 'credits_short', needed: estimate.credits, available: balance };
      }
      const details: SendDetails = {
        by: person.id,
        e164: number.e164,
        accountId: instance.accountId,
        estimate,
        receiptLine: link.receiptLine,
        reply: reply as SendDetails['reply'],
        ...(number.country === undefined ? {} : { country: number.country }),
        ...(number.added === undefined ? {} : { added: true }),
        ...(number.warning === undefined ? {} : { noKnownRange: true }),
        ...(balance === undefined ? {} : { balance }),
      };
      const id = randomBytes(9).toString('base64url');
      await ledger.draft({
        id,
        team: person.team,
        place: channel,
        instance: instance.id,
        kind: 'single',
        details: details as Json,
        topics: link.receiptLine ? [TOPICS.receipt, TOPICS.line] : [TOPICS.receipt],
        expiresInMs: deps.draftTtlMs,
        chunks: [[{ phone: number.digits, text }]],
        ...(resends === undefined ? {} : { resends }),
      });
      const after = balance === undefined ? undefined : balance - estimate.credits;
      const crossesThreshold =
        balance !== undefined && after !== undefined && balance >= link.threshold && after < link.threshold;
      return { kind: 'draft', view: await mustView(id), linked, crossesThreshold };
    },

    async confirm(id, person, reply) {
      const draft = await view(id);
      if (!draft || draft.team !== person.team) return { kind: 'missing' };
      if (draft.details.by !== person.id) return { kind: 'not_yours', owner: draft.details.by };
      if (draft.state !== 'draft') {
        return { kind: 'too_late', why: draft.state === 'expired' ? 'expired' : 'decided', view: draft };
      }
      const linked = await links.find(draft.team, draft.channel);
      if (!linked) return { kind: 'not_linked' };
      // The channel may have got another instance, or its key another account, since the preview: what was shown goes.
      const send = await ledger.find(id);
      const shown = { instance: send?.instance, account: draft.details.accountId };
      if (shown.instance !== linked.instance.id || shown.account !== linked.instance.accountId) {
        await ledger.expireDrafts(draft.team, draft.channel);
        return { kind: 'too_late', why: 'expired', view: await mustView(id) };
      }
      const why = sendRefusal(person, linked.link);
      if (why) return { kind: 'refused', why, link: linked.link };
      // Only a fresh figure can say no here; without one the service's own answer decides.
      const known = await credit.known(linked.instance);
      const fresh = known && ledger.now() - known.asOf <= BALANCE_FOR_DRAFT_MS ? known.credits : undefined;
      const needed = draft.details.estimate.credits;
      const available = await enoughOrAsked(linked.instance, fresh, needed);
      if (available !== undefined && available < needed) return { kind: 'credits_short', needed, available };
      const confirmedAt = deps.clock.wall();
      const decided = await ledger.decide(id, {
        to: 'running',
        by: person.id,
        details: { reply, confirmedAt },
      });
      if (decided.won) {
        await deps.onConfirmed(decided.send);
        return { kind: 'running', view: await mustView(id) };
      }
      const now = await mustView(id);
      if (decided.why === 'missing') return { kind: 'missing' };
      if (decided.why === 'decided' || decided.why === 'expired') {
        return { kind: 'too_late', why: decided.why, view: now };
      }
      return { kind: 'resend_refused', why: decided.why, view: now };
    },

    async withdraw(id, person, to) {
      const draft = await view(id);
      if (!draft || draft.team !== person.team || draft.details.by !== person.id) return { kind: 'missing' };
      const decided = await ledger.decide(id, { to, by: person.id });
      return { kind: decided.won ? 'withdrawn' : 'too_late', view: await mustView(id) };
    },
  };
}
