import { randomBytes } from 'node:crypto';
import type { Json, Ledger, Resends, SendRecord } from '../store/ledger.ts';
import type { Instance, Link } from '../store/records.ts';
import type { Clock } from './clock.ts';
import type { Credit } from './credit.ts';
import { BALANCE_FOR_DRAFT_MS, createDecisions } from './decisions.ts';
import { crossesThreshold, type Linked, type Links } from './links.ts';
import { type Person, type SendRefusal, sendRefusal } from './permissions.ts';
import type { ReadNumber } from './phone.ts';
import type { PriceBook } from './prices.ts';
import type { SendDetails } from './results.ts';
import { countSegments } from './segments.ts';
import { readSendView, type SendView } from './send-view.ts';
import { TOPICS } from './topics.ts';

export type { Resends } from '../store/ledger.ts';

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
  resends?: Resends;
}

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

  const decide = createDecisions(deps);

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
        prices.estimate(instance.accountId, [countSegments(text).segments]),
      ]);
      const balance = await credit.askIfShort(instance, recent, estimate.credits);
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
      return {
        kind: 'draft',
        view: await mustView(id),
        linked,
        crossesThreshold: crossesThreshold(link, balance, estimate.credits),
      };
    },

    async confirm(id, person, reply) {
      const made = await decide(await view(id), person, reply);
      switch (made.kind) {
        case 'decided':
          await deps.onConfirmed(made.send);
          return { kind: 'running', view: await mustView(id) };
        case 'too_late':
        case 'resend_refused':
          return { ...made, view: await mustView(id) };
        default:
          return made;
      }
    },

    async withdraw(id, person, to) {
      const draft = await view(id);
      if (!draft || draft.team !== person.team || draft.details.by !== person.id) return { kind: 'missing' };
      const decided = await ledger.decide(id, { to, by: person.id });
      return { kind: decided.won ? 'withdrawn' : 'too_late', view: await mustView(id) };
    },
  };
}
