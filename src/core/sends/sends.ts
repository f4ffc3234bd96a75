import { randomBytes } from 'node:crypto';
import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { SameWords } from '../../ledger/model/repeat-types.ts';
import type { Json, SendRecord, Undecidable, UnknownChunks } from '../../ledger/model/types.ts';
import type { Link } from '../../records/schema.ts';
import { type Credit, isKeyRefused } from '../accounts/credit.ts';
import { type LinkedView, viewOfInstance } from '../accounts/instance-view.ts';
import { limitsOf } from '../accounts/limits.ts';
import { crossesThreshold, type Links } from '../accounts/links.ts';
import type { IsCurrent } from '../accounts/old-copy.ts';
import { type Person, type SendRefusal, sendRefusal } from '../accounts/permissions.ts';
import type { Budgets, BudgetsLeft } from '../budgets/budgets.ts';
import type { Clock } from '../clock.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { OptOutView } from '../opt-outs/sealed-opt-outs.ts';
import { onceFor } from '../repeats.ts';
import type { ReadNumber } from '../texts/phone.ts';
import { countSegments } from '../texts/segments.ts';
import { TOPICS } from '../topics.ts';
import type { Confirmed, CreditsShort, Withdrawn } from './decision-answers.ts';
import { type Confirmation, createDecisions } from './decisions.ts';
import { balanceFor, shortOf } from './draft-balance.ts';
import type { PriceBook } from './prices.ts';
import { createRequests, type Requests } from './requests.ts';
import type { WordsOf } from './same-words.ts';
import type { SendDetails } from './send-details.ts';
import { readSendView, type SendView, sendView } from './send-view.ts';
import { type Undone, undoSend } from './undo.ts';

export type { SameWords } from '../../ledger/model/repeat-types.ts';
export type { UnknownChunks as Resends } from '../../ledger/model/types.ts';

/** What came of asking for a preview. */
export type Drafted =
  | {
      kind: 'draft';
      view: SendView;
      linked: LinkedView;
      crossesThreshold: boolean;
      /** Another send brought the same words to this number. */
      same?: SameWords;
      budgets: BudgetsLeft;
    }
  | { kind: 'not_linked' }
  | { kind: 'refused'; why: SendRefusal; link: Link }
  | CreditsShort
  | { kind: 'key_refused'; instanceName: string }
  | { kind: 'opted_out'; optOut: OptOutView }
  | { kind: 'repeated' };

/** What came of **It arrived**; `view` is the send after that. */
export type SaidSent =
  | { kind: 'said'; view: SendView }
  | { kind: 'too_late'; why: Undecidable; view: SendView }
  | { kind: 'missing' }
  | { kind: 'not_linked' }
  | { kind: 'refused'; why: SendRefusal; link: Link };

/** Single sends, from preview to receipt. */
export interface Sends {
  draft(input: DraftInput): Promise<Drafted>;
  /** Decides a draft for sending, once; `reply` replaces how the person is reached. */
  confirm(id: string, person: Person, reply: Json, how?: Confirmation): Promise<Confirmed<SendView>>;
  /** Withdraws a draft: nothing was sent and nothing will be. */
  withdraw(id: string, person: Person, to: 'cancelled' | 'superseded'): Promise<Withdrawn<SendView>>;
  /** Takes back what was decided for sending, if nothing of it was taken yet; for the person who pressed Send. */
  undo(id: string, person: Person): Promise<Undone<SendView> | { kind: 'not_yours'; owner: string }>;
  view(id: string): Promise<SendView | undefined>;
  /** Drafts that a second person decides. */
  requests: Requests<SendView>;
  /** Takes the word of anybody who may send from the channel that an unknown text arrived; once. */
  saySent(id: string, person: Person): Promise<SaidSent>;
}

/** Who wants to send a text, to which number, from where. */
export interface DraftInput {
  channel: string;
  person: Person;
  number: ReadNumber;
  text: string;
  reply: Json;
  resends?: UnknownChunks;
  /** Names the request that asks for it: the same one makes no second draft. */
  request?: string;
}

export function createSends(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  budgets: Budgets;
  isCurrent: IsCurrent;
  prices: PriceBook;
  optOuts: Pick<OptOuts, 'find'>;
  wordsOf: WordsOf;
  draftTtlMs: number;
  clock: Clock;
  /** Told when a draft was decided for sending. */
  onConfirmed(send: SendRecord): Promise<void>;
}): Sends {
  const { ledger, links, credit, budgets, prices, optOuts, wordsOf } = deps;

  const view = (id: string) => readSendView(ledger, id);

  async function mustView(id: string): Promise<SendView> {
    const found = await view(id);
    if (!found) throw new Error(`the send ${id} is gone from the ledger`);
    return found;
  }

  const wordsOfDraft = ({ team, e164, text }: SendView) => wordsOf(team, { phone: e164.slice(1), text });

  const decisions = createDecisions({
    ledger,
    links,
    credit,
    budgets,
    isCurrent: deps.isCurrent,
    clock: deps.clock,
    mustView,
    // From now on the chunk has them.
    whenSent: () => ({ text: undefined }),
    // "Sending…" and the receipt are one row: the two never overtake each other.
    announces: ({ id, team }) => ({
      ...{ id: `${TOPICS.receipt}:${id}`, topic: TOPICS.receipt },
      ...{ subject: id, details: { team } },
    }),
    wordsOf: wordsOfDraft,
    undoMs: (link) => limitsOf(link).undoSeconds * 1000,
    onRunning: deps.onConfirmed,
  });

  const requests = createRequests({
    ...{ ledger, links, credit, prices, view, mustView, decisions },
    // A text is gone in a moment.
    isUnlinking: () => false,
    segmentsOf: (draft) => [draft.segments.segments],
    isOptedOut: async ({ team, e164 }) => (await optOuts.find(team, e164.slice(1)))?.isOut === true,
    // Whoever sends an unknown text again was asked already.
    wordsOf: (draft) => (draft.resends ? undefined : wordsOfDraft(draft)),
  });

  return {
    view,
    requests,

    async draft({ channel, person, number, text, reply, resends, request }) {
      const linked = await links.find(person.team, channel);
      if (!linked) return { kind: 'not_linked' };
      const { link, instance } = linked;
      const why = sendRefusal(person, link);
      if (why) return { kind: 'refused', why, link };
      if (await isKeyRefused(credit, instance)) {
        return { kind: 'key_refused', instanceName: instance.name };
      }
      const optOut = await optOuts.find(person.team, number.digits);
      if (optOut?.isOut) return { kind: 'opted_out', optOut };

      const estimate = await prices.estimate(instance.accountId, [countSegments(text).segments]);
      const words = resends ? undefined : wordsOf(person.team, { phone: number.digits, text });
      const [known, same] = await Promise.all([
        balanceFor(credit, instance, estimate),
        words && ledger.sameWords(person.team, words.hash),
      ]);
      const short = shortOf(estimate, known.balance);
      if (short) return short;
      const kept = keptOf({
        ...{ by: person.id, accountId: instance.accountId },
        ...{ estimate, receiptLine: link.receiptLine },
      });
      const details: SendDetails = {
        ...kept,
        e164: number.e164,
        text,
        reply: reply as SendDetails['reply'],
        ...defined({ country: number.country }),
        ...(number.added !== undefined && { added: true }),
        ...(number.warning !== undefined && { noKnownRange: true }),
        ...known,
      };
      const id = randomBytes(9).toString('base64url');
      const drafted = await ledger.draft({
        id,
        team: person.team,
        channelId: channel,
        instance: instance.id,
        account: instance.accountId,
        kind: 'single',
        details: details as Json,
        keeps: kept,
        topics: link.receiptLine ? [TOPICS.receipt, TOPICS.line] : [TOPICS.receipt],
        expiresInMs: deps.draftTtlMs,
        chunks: [[{ phone: number.digits, text }]],
        ...defined({ resends }),
        ...(request !== undefined && { once: onceFor(request) }),
        ...(same && { isAsked: true as const }),
      });
      if (!drafted) return { kind: 'repeated' };
      return {
        kind: 'draft',
        view: sendView(drafted),
        linked: { link, instance: viewOfInstance(instance) },
        crossesThreshold: crossesThreshold(link, known.balance, estimate.credits),
        ...(same && { same }),
        budgets: await budgets.of(link, person.id),
      };
    },

    confirm: async (id, person, reply, how) => decisions.confirm(await view(id), person, reply, how),
    withdraw: async (id, person, to) => decisions.withdraw(await view(id), person, to),

    async undo(id, person) {
      const before = await view(id);
      if (before?.team !== person.team) return { kind: 'missing' };
      const { text, details, decidedBy = details.by } = before;
      if (decidedBy !== person.id) return { kind: 'not_yours', owner: decidedBy };
      // The words go with its chunk: the form begins with them for half an hour.
      return undoSend({ ledger, mustView }, id, { by: person.id, details: { text }, keeps: keptOf(details) });
    },

    async saySent(id, person) {
      const before = await view(id);
      if (before?.team !== person.team) return { kind: 'missing' };
      const linked = await links.find(person.team, before.channel);
      if (!linked) return { kind: 'not_linked' };
      const why = sendRefusal(person, linked.link);
      if (why) return { kind: 'refused', why, link: linked.link };
      const said = await ledger.saySent({ send: id, indexes: [0] }, person.id);
      const now = await mustView(id);
      return said.won ? { kind: 'said', view: now } : { kind: 'too_late', why: said.why, view: now };
    },
  };
}

/** What stays of the details of a text that nobody sends. */
function keptOf({
  by,
  accountId,
  estimate,
  receiptLine,
}: Pick<SendDetails, 'by' | 'accountId' | 'estimate' | 'receiptLine'>) {
  return { by, accountId, estimate, receiptLine };
}
