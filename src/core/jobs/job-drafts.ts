import { randomBytes } from 'node:crypto';
import type { Ledger } from '../../ledger/ledger.ts';
import type { SendDetailsChange } from '../../ledger/model/decision-types.ts';
import type { DraftRepeats } from '../../ledger/model/repeat-types.ts';
import { isUndecided } from '../../ledger/model/transitions.ts';
import type {
  Json,
  LedgerLimits,
  LedgerMessage,
  SendRecord,
  UnknownChunks,
} from '../../ledger/model/types.ts';
import type { Instance } from '../../records/records.ts';
import { type Credit, isKeyRefused } from '../accounts/credit.ts';
import { viewOfInstance } from '../accounts/instance-view.ts';
import { limitsOf } from '../accounts/limits.ts';
import { countryOf, crossesThreshold, type Link, type Linked, type Links } from '../accounts/links.ts';
import { type Person, sendRefusal } from '../accounts/permissions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { type ListChecker, type ListSummary, segmentsOf } from '../lists/list.ts';
import type { OptOuts } from '../opt-outs/opt-outs.ts';
import type { ListTooLong } from '../sends/decision-answers.ts';
import { balanceFor, shortOf } from '../sends/draft-balance.ts';
import type { Estimate } from '../sends/estimate.ts';
import type { PriceBook } from '../sends/prices.ts';
import type { WordsOf } from '../sends/same-words.ts';
import { countSegments } from '../texts/segments.ts';
import { TOPICS } from '../topics.ts';
import type { JobDrafted, JobDraftInput, JobPreview, JobRefusal, ResendDrafted } from './job-answers.ts';
import { type JobDetails, keptOf } from './job-details.ts';
import type { JobView } from './job-view.ts';
import { findOptedOut, optedOutParts } from './left-out.ts';
import { msToSend, readJobView, viewOf, wasListRefused } from './read-job.ts';
import { createRepeatSieve } from './repeats-of-list.ts';
import { summarise } from './resend-summary.ts';

/** How lists and texts are bounded; both are configured. */
export interface BulkLimits {
  /** Messages in a request, 1 to 100 ("Limits"). */
  chunkSize: number;
  /** Longest text in characters; the interface document leaves it open for bulk. */
  mostCharacters: number;
  /** A shorter list goes as single sends: each recipient gets an answer of their own. */
  minRecipients: number;
}

/** Parts of a list that one commit leaves out: a long list must not hold up everything else. */
const PARTS_AT_ONCE = 10;

/** Drafts of jobs: checked lists with their previews. */
export interface JobDrafts {
  draft(input: JobDraftInput): Promise<JobDrafted>;
  draftResend(id: string, person: Person, reply: Json): Promise<ResendDrafted>;
  /** `include`: with what others sent already. */
  preview(id: string, include?: boolean): Promise<JobPreview | undefined>;
}

export function createJobDrafts(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  budgets: Pick<Budgets, 'of'>;
  prices: PriceBook;
  optOuts: Pick<OptOuts, 'count' | 'leaveOut'>;
  checker: ListChecker;
  wordsOf: WordsOf;
  /** What {optout} in the words of a list becomes. */
  optOutTextOf(team: string): Promise<string | undefined>;
  limits: LedgerLimits;
  bulk: BulkLimits;
  draftTtlMs: number;
}): JobDrafts {
  const { ledger, links, credit, budgets, prices, optOuts, limits, bulk } = deps;

  async function allowed(
    channel: string,
    person: Person,
  ): Promise<{ kind: 'linked'; linked: Linked } | JobRefusal> {
    const linked = await links.find(person.team, channel);
    if (!linked) return { kind: 'not_linked' };
    const { link, instance } = linked;
    const why = sendRefusal(person, link);
    if (why) return { kind: 'refused', why, link };
    if (link.leaving) return { kind: 'unlinking' };
    return (await isKeyRefused(credit, instance))
      ? { kind: 'key_refused', instanceName: instance.name }
      : { kind: 'linked', linked };
  }

  function estimateOf({ accountId }: Instance, summary: ListSummary): Promise<Estimate> {
    return prices.estimate(accountId, segmentsOf(summary));
  }

  /** Writes the draft, a few chunks at a time: a long list must not hold up everything else. */
  async function write(
    { link, instance }: Linked,
    input: {
      by: string;
      reply: Json;
      summary: ListSummary;
      given: JobDetails['given'];
      chunks: AsyncIterable<LedgerMessage[][]>;
      optedOut: LedgerMessage[];
      oneByOne: boolean;
      resends?: UnknownChunks;
    },
  ): Promise<SendRecord> {
    const { summary, given, resends, oneByOne, optedOut } = input;
    const estimate = await estimateOf(instance, summary);
    const saved = await prices.estimate(
      instance.accountId,
      optedOut.map(({ text }) => countSegments(text).segments),
    );
    const kept = {
      ...{ by: input.by, accountId: instance.accountId, estimate },
      ...(optedOut.length > 0 && { optedOut: { messages: optedOut.length, credits: saved.credits } }),
    };
    const details: JobDetails = {
      ...{ ...kept, list: summary },
      given,
      reply: input.reply as JobDetails['reply'],
      ...(oneByOne ? { oneByOne } : {}),
    };
    const id = randomBytes(9).toString('base64url');
    await ledger.draft({
      id,
      team: link.team,
      channelId: link.channel,
      instance: instance.id,
      account: instance.accountId,
      kind: 'job',
      details: details as Json,
      keeps: keptOf({ ...kept, list: summary }),
      topics: [TOPICS.job],
      expiresInMs: deps.draftTtlMs,
      chunks: [],
      ...(resends === undefined ? {} : { resends }),
    });
    const inRequests = (chunks: LedgerMessage[][]) =>
      oneByOne ? chunks.flat().map((message) => [message]) : chunks;
    // Whoever sends unknown texts again knows that they may come twice.
    const guard = resends ? undefined : deps.wordsOf(link.team, { phone: '', text: '' });
    const sieve = guard ? createRepeatSieve(deps, link.team, bulk.chunkSize) : undefined;
    for await (const chunks of sieve ? sieve.kept(input.chunks) : input.chunks) {
      await ledger.appendChunks(id, inRequests(chunks));
    }
    if (guard && sieve && sieve.repeats().length > 0) {
      const messages = sieve.repeats();
      const list = sieve.summaryOfKept(summary);
      const without = { estimate: await estimateOf(instance, list), list };
      const repeats: JobDetails['repeats'] = {
        ...{ messages: messages.length, included: false, withinMs: guard.holdsMs },
        whole: { estimate, list: summary },
      };
      const change: DraftRepeats = {
        details: { ...without, repeats } as SendDetailsChange,
        keeps: keptOf({ ...kept, ...without }),
      };
      for await (const chunks of inChunks(messages, bulk.chunkSize)) {
        await ledger.appendChunks(id, inRequests(chunks), change);
      }
    }
    const parts = optedOutParts(optedOut, bulk.chunkSize);
    for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
      await ledger.appendLeftOut(id, parts.slice(from, from + PARTS_AT_ONCE));
    }
    const send = await ledger.find(id);
    if (!send) throw new Error(`the draft ${id} is gone from the ledger`);
    return send;
  }

  async function previewOf(view: JobView, linked: Linked): Promise<JobPreview> {
    const { link, instance } = linked;
    const { estimate, list } = view.details;
    const known = await balanceFor(credit, instance, estimate);
    return {
      view,
      linked: { link, instance: viewOfInstance(instance) },
      ...known,
      short: shortOf(estimate, known.balance) !== undefined,
      crossesThreshold: crossesThreshold(link, known.balance, estimate.credits),
      budgets: await budgets.of(link, view.details.by),
      msToSend: msToSend(
        view.details.oneByOne ? list.toSend : Math.ceil(list.toSend / bulk.chunkSize),
        limits,
      ),
    };
  }

  return {
    async draft({ channel, person, source, fileId, template, phoneColumn, words, reply, onProgress }) {
      const found = await allowed(channel, person);
      if (found.kind !== 'linked') return found;
      const { linked } = found;
      const country = countryOf(linked.link);
      const optOutText = await deps.optOutTextOf(person.team);
      const checked = await deps.checker.check(
        {
          source,
          template,
          ...(country === undefined ? {} : { country }),
          ...(phoneColumn === undefined ? {} : { phoneColumn }),
          ...(optOutText === undefined ? {} : { optOutText }),
          mostCharacters: bulk.mostCharacters,
          chunkSize: bulk.chunkSize,
          words,
        },
        onProgress,
      );
      if (checked.kind !== 'list') return checked;
      try {
        const given: JobDetails['given'] = {
          template,
          ...(source.kind === 'pasted' ? { recipients: source.text } : {}),
          ...(source.kind === 'file' && fileId !== undefined
            ? { file: { id: fileId, name: source.name } }
            : {}),
          ...(phoneColumn === undefined ? {} : { phoneColumn }),
        };
        const optedOut = await findOptedOut(optOuts, person.team, checked.chunks);
        const summary =
          optedOut.length === 0
            ? checked.summary
            : await checked.leaveOut(optedOut.map(({ phone }) => phone));
        if (!summary) return { kind: 'all_opted_out', messages: optedOut.length };
        const { wrongCsv } = checked;
        const refusal = tooLong(linked.link, summary.toSend);
        if (refusal) return refusal;
        const send = await write(linked, {
          by: person.id,
          reply,
          summary,
          given,
          chunks: checked.chunks(),
          optedOut,
          oneByOne: summary.toSend < bulk.minRecipients,
        });
        const preview = await previewOf(await viewOf(ledger, limits, send), linked);
        return { kind: 'draft', preview, ...(wrongCsv === undefined ? {} : { wrongCsv }) };
      } finally {
        await checked.close();
      }
    },

    async draftResend(id, person, reply) {
      const first = await readJobView(ledger, limits, id);
      if (!first || first.team !== person.team) return { kind: 'missing' };
      if (first.details.by !== person.id) return { kind: 'not_yours', owner: first.details.by };
      const unknown = await ledger.chunks(id, { state: 'unknown' });
      const open = unknown.filter(isUndecided);
      if (open.length === 0) {
        const isResent = unknown.some(({ resentAs }) => resentAs !== undefined);
        return { kind: isResent ? 'resent_already' : unknown.length > 0 ? 'said_sent' : 'none_unknown' };
      }
      const at = Math.max(...open.map(({ deadline = 0 }) => deadline));
      if (at > ledger.now()) return { kind: 'too_early', at };
      const found = await allowed(first.channel, person);
      if (found.kind !== 'linked') return found;
      const { kept: messages, optedOut } = await optOuts.leaveOut(
        person.team,
        open.flatMap((chunk) => chunk.messages),
      );
      if (messages.length === 0) return { kind: 'all_opted_out', messages: optedOut.length };
      const send = await write(found.linked, {
        by: person.id,
        reply,
        summary: summarise(messages),
        given: { template: '' },
        chunks: inChunks(messages, bulk.chunkSize),
        optedOut,
        oneByOne: messages.length < bulk.minRecipients || open.some(wasListRefused),
        resends: { send: id, indexes: open.map(({ index }) => index) },
      });
      return {
        kind: 'draft',
        preview: await previewOf(await viewOf(ledger, limits, send), found.linked),
      };
    },

    async preview(id, include = false) {
      const view = await readJobView(ledger, limits, id);
      const linked = view && (await links.find(view.team, view.channel));
      return linked && previewOf(withRepeats(view, include), linked);
    },
  };
}

/** The refusal, where a list has more recipients than its channel allows. */
export function tooLong(link: Link, recipients: number): ListTooLong | undefined {
  const { largestList: most } = limitsOf(link);
  return most === undefined || recipients <= most ? undefined : { kind: 'list_too_long', recipients, most };
}

/** The draft of a list as it goes out: with what others sent already where `include` says so, else without. */
export function withRepeats(view: JobView, include: boolean): JobView {
  const { repeats } = view.details;
  if (!repeats?.whole || !include) return view;
  const { whole } = repeats;
  const details = { ...view.details, ...whole, repeats: { ...repeats, included: true } };
  return { ...view, details, counts: { ...view.counts, total: whole.list.toSend } };
}

async function* inChunks(messages: LedgerMessage[], size: number): AsyncIterable<LedgerMessage[][]> {
  for (let from = 0; from < messages.length; from += size) yield [messages.slice(from, from + size)];
}
