import { randomBytes } from 'node:crypto';
import type { LedgerMessage, UnknownChunks } from '../../ledger/model/chunk-record.ts';
import type { SendDetailsChange } from '../../ledger/model/decision-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { Linked } from '../accounts/links.ts';
import type { Person } from '../accounts/permissions.ts';
import { inChunks } from '../lists/in-chunks.ts';
import { type ListSummary, segmentsOf } from '../lists/list.ts';
import type { ChunkResult } from '../sends/chunk-result.ts';
import { TOPICS } from '../topics.ts';
import { type JobDetails, keptOf } from './job-details.ts';
import type { JobDraftDeps } from './job-drafts.ts';
import { type JobPreview, previewOf } from './job-preview.ts';
import { channelForDraft, type JobRefusal } from './job-rights.ts';
import { createRepeatSieve } from './repeats-of-list.ts';

/** The most parts that one commit leaves out: a long list must not hold up other work. */
const PARTS_AT_ONCE = 10;

/** A checked list, as its draft keeps it. */
interface CheckedJob {
  person: Person;
  reply: Json;
  summary: ListSummary;
  given: JobDetails['given'];
  /** A few at a time. */
  chunks: Iterable<LedgerMessage[][]> | AsyncIterable<LedgerMessage[][]>;
  optedOut: LedgerMessage[];
  oneByOne: boolean;
  /** The unknown texts that the draft sends again. */
  resends?: UnknownChunks;
  /** The draft that the person has edited. */
  replaces?: string | undefined;
}

/**
 * Writes the draft of a checked list, and returns its preview. If the draft expires meanwhile, since its channel was
 * unlinked or linked again, says so.
 */
export async function draftWithPreview(
  deps: JobDraftDeps,
  linked: Linked,
  job: CheckedJob,
): Promise<{ kind: 'draft'; preview: JobPreview } | JobRefusal> {
  const id = randomBytes(9).toString('base64url');
  const failure = await writeDraft(deps, id, linked, job).catch((error: unknown) => ({ error }));
  const view = await deps.reads.view(id);
  if (view?.state === 'expired') {
    const now = await channelForDraft(deps, view.channel, job.person);
    return now.kind === 'linked' ? { kind: 'draft_expired', view } : now;
  }
  if (failure) throw failure.error;
  return { kind: 'draft', preview: await previewOf(deps, await deps.reads.mustView(id), linked) };
}

/** Writes a draft, a few chunks at a time. */
async function writeDraft(
  deps: JobDraftDeps,
  id: string,
  { link, instance }: Linked,
  job: CheckedJob,
): Promise<void> {
  const { ledger, prices, wordsOf, draftTtlMs, repeatGuardMs } = deps;
  const { chunkSize } = deps.bulk;
  const { person, summary, given, resends, replaces, oneByOne, optedOut } = job;
  const { accountId } = instance;
  const estimateOf = (list: ListSummary) => prices.estimate(accountId, segmentsOf(list));
  const estimate = await estimateOf(summary);
  const wordsOut = optedOut.map(({ text }) => text);
  const credits = await prices.mostCredits(accountId, wordsOut);
  const kept = { by: person.id, accountId, estimate, list: summary };
  const details: JobDetails = {
    ...kept,
    given,
    ...(optedOut.length > 0 && { optedOut: { messages: optedOut.length, credits } }),
    reply: job.reply as JobDetails['reply'],
    ...(oneByOne && { oneByOne }),
  };
  await ledger.draft({
    id,
    team: link.team,
    channelId: link.channel,
    instance: instance.id,
    account: accountId,
    kind: 'job',
    details: details as Json,
    keeps: keptOf(kept),
    topics: [TOPICS.job],
    expiresInMs: draftTtlMs,
    chunks: [],
    ...defined({ resends, replaces }),
  });
  const inRequests = (chunks: LedgerMessage[][]) =>
    oneByOne ? chunks.flat().map((message) => [message]) : chunks;
  // Whoever sends unknown texts again knows that they may come twice.
  const isGuarded = repeatGuardMs > 0 && !resends;
  const sieve = isGuarded ? createRepeatSieve({ ledger, wordsOf }, link.team, chunkSize) : undefined;
  for await (const chunks of sieve ? sieve.kept(job.chunks) : job.chunks) {
    await ledger.appendChunks(id, inRequests(chunks));
  }
  const repeated = sieve?.repeats() ?? [];
  if (sieve && repeated.length > 0) {
    const list = sieve.summaryOfKept(summary);
    const without = { estimate: await estimateOf(list), list };
    const whole = { estimate, list: summary };
    const repeats = { messages: repeated.length, included: false, withinMs: repeatGuardMs, whole };
    const details: Partial<JobDetails> = { ...without, repeats };
    const change = { details: details as SendDetailsChange, keeps: keptOf({ ...kept, ...without }) };
    for (const chunk of inChunks(repeated, chunkSize)) {
      await ledger.appendChunks(id, inRequests([chunk]), change);
    }
  }
  const why = { result: { cause: 'opted_out' } satisfies ChunkResult, barredFor: 'opted_out' } as const;
  const left = inChunks(optedOut, chunkSize).map((messages) => ({ messages, ...why }));
  for (const parts of inChunks(left, PARTS_AT_ONCE)) await ledger.appendLeftOut(id, parts);
}
