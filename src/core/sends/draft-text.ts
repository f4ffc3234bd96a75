import { randomBytes } from 'node:crypto';
import type { Ledger } from '../../ledger/ledger.ts';
import type { UnknownChunks } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { SameWords } from '../../ledger/model/repeat-types.ts';
import type { Credit } from '../accounts/credit.ts';
import { type LinkedView, viewOfLinked } from '../accounts/instance-view.ts';
import type { KeyUnusable } from '../accounts/key-trouble.ts';
import type { Links } from '../accounts/links.ts';
import type { Person } from '../accounts/permissions.ts';
import type { Budgets, BudgetsLeft } from '../budgets/budgets.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { OptOutView } from '../opt-outs/sealed-opt-outs.ts';
import { onceFor } from '../slack-repeats.ts';
import type { ReadNumber } from '../texts/phone.ts';
import { countSegments } from '../texts/segments.ts';
import { TOPICS } from '../topics.ts';
import type { CreditsShort, NotAllowed } from './decision-answers.ts';
import { balanceFor, shortBalance } from './draft-balance.ts';
import { sendableLink } from './own-draft.ts';
import type { PriceBook } from './prices.ts';
import type { WordsOf } from './same-words.ts';
import type { SendDetails } from './send-details.ts';
import { type SendView, sendView } from './send-view.ts';

/** The result of asking for a preview. */
type Drafted =
  | {
      kind: 'draft';
      view: SendView;
      linked: LinkedView;
      /** Another send brought the same words to this number. */
      same?: SameWords;
      budgets: BudgetsLeft;
    }
  | NotAllowed
  | CreditsShort
  | KeyUnusable
  | { kind: 'opted_out'; optOut: OptOutView }
  | { kind: 'repeated' };

/** A text that a person wants to send from a channel. */
export interface DraftInput {
  channel: string;
  person: Person;
  number: ReadNumber;
  text: string;
  reply: Json;
  resends?: UnknownChunks;
  /** The draft that the person has edited. */
  replaces?: string | undefined;
  /** Names the request that asks for it: the same request makes no second draft. */
  request?: string;
}

export interface DraftDeps {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  budgets: Pick<Budgets, 'of'>;
  prices: PriceBook;
  optOuts: Pick<OptOuts, 'find'>;
  wordsOf: WordsOf;
  draftTtlMs: number;
}

/** Drafts a text: the preview, which is sent once somebody decides so. */
export async function draftText(deps: DraftDeps, input: DraftInput): Promise<Drafted> {
  const { ledger, links, credit, budgets, prices, optOuts, wordsOf, draftTtlMs } = deps;
  const { channel, person, number, text, reply, resends, replaces, request } = input;
  const found = await sendableLink(links, channel, person);
  if (found.kind !== 'linked') return found;
  const { link, instance } = found.linked;
  const unusable = await credit.keyUnusable(instance);
  if (unusable) return unusable;
  const words = resends ? undefined : wordsOf(person.team, { phone: number.digits, text });
  const priced = async () => {
    const estimate = await prices.estimate(instance.accountId, [countSegments(text).segments]);
    return { estimate, known: await balanceFor(credit, instance, estimate) };
  };
  // All at once: each trip to the store takes time, and the person waits.
  const [optOut, same, left, { estimate, known }] = await Promise.all([
    optOuts.find(person.team, number.digits),
    words && ledger.sameWords(person.team, words.hash),
    budgets.of(link, person.id),
    priced(),
  ]);
  if (optOut?.isOut) return { kind: 'opted_out', optOut };
  const short = shortBalance(estimate, known.balance);
  if (short) return short;
  const { receiptLine } = link;
  const kept = keptOf({ by: person.id, accountId: instance.accountId, estimate, receiptLine });
  const details: SendDetails = {
    ...kept,
    e164: number.e164,
    text,
    reply: reply as SendDetails['reply'],
    ...defined({ country: number.country, added: number.added, noKnownRange: number.noKnownRange }),
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
    topics: receiptLine ? [TOPICS.receipt, TOPICS.line] : [TOPICS.receipt],
    expiresInMs: draftTtlMs,
    chunks: [[{ phone: number.digits, text }]],
    ...defined({ resends, replaces }),
    ...(request !== undefined && { once: onceFor(request) }),
    ...(same && { isAsked: true as const }),
  });
  if (!drafted) return { kind: 'repeated' };
  return {
    kind: 'draft',
    view: sendView(drafted, ledger.now()),
    linked: viewOfLinked(found.linked),
    ...(same && { same }),
    budgets: left,
  };
}

/** What stays of the details of a text that nobody sends. */
export function keptOf(details: Pick<SendDetails, 'by' | 'accountId' | 'estimate' | 'receiptLine'>) {
  const { by, accountId, estimate, receiptLine } = details;
  return { by, accountId, estimate, receiptLine };
}
