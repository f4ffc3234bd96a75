import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Sends } from '../sends/sends.ts';
import { outcomeCounts } from './history-outcomes.ts';
import { type HistoryAsked, seesNumbers, shownNumber } from './history-query.ts';

export type HistoryDetails = NonNullable<Awaited<ReturnType<typeof historyDetails>>>;
type ChainLink = Awaited<ReturnType<typeof linkOf>>;

/** How many resends to follow in each direction. */
const MOST_LINKS = 5;

/** The details of a send of the channel. Undefined if there is none with this id, or nobody decided to send it. */
export async function historyDetails(
  { ledger, sends, jobs }: { ledger: Ledger; sends: Pick<Sends, 'view'>; jobs: Pick<Jobs, 'view'> },
  { channel, person }: Pick<HistoryAsked, 'channel' | 'person'>,
  id: string,
) {
  const send = await ledger.find(id);
  const isTheirs = send?.team === person.team && (channel === undefined || send.channelId === channel);
  if (!send || !isTheirs || send.decidedAt === undefined) return undefined;
  const chain = await chainOf(ledger, send);
  if (send.kind === 'job') {
    const view = await jobs.view(id);
    return view && { kind: 'job' as const, view, chain };
  }
  const view = await sends.view(id);
  if (!view) return undefined;
  const isWhole = seesNumbers(person, send);
  /** As the reader may see it. */
  const number = shownNumber(view.e164.slice(1), isWhole);
  return { kind: 'single' as const, view, number, isWhole, chain };
}

/** The chain of resends that the send belongs to, oldest first; empty if there are none. Drafts do not count. */
async function chainOf(ledger: Ledger, send: SendRecord): Promise<ChainLink[]> {
  const before = await followed(send, async ({ resends }) => resends && ledger.find(resends.send));
  const after = await followed(send, (one) => resentAs(ledger, one));
  if (before.length + after.length === 0) return [];
  const chain = [...before.reverse(), send, ...after];
  return Promise.all(chain.map((one) => linkOf(ledger, one)));
}

/** The sends that `next` leads to, one after the other. */
async function followed(
  send: SendRecord,
  next: (one: SendRecord) => Promise<SendRecord | undefined>,
): Promise<SendRecord[]> {
  const found: SendRecord[] = [];
  for (let one: SendRecord | undefined = send; found.length < MOST_LINKS; found.push(one)) {
    one = await next(one);
    if (!one) break;
  }
  return found;
}

async function resentAs(ledger: Ledger, { id }: SendRecord): Promise<SendRecord | undefined> {
  const unknown = await ledger.chunks(id, { state: 'unknown' });
  const by = unknown.find((chunk) => chunk.resentAs !== undefined)?.resentAs;
  return by === undefined ? undefined : ledger.find(by);
}

async function linkOf(ledger: Ledger, { id, decidedAt = 0, decidedBy = '' }: SendRecord) {
  return { id, at: decidedAt, by: decidedBy, counts: outcomeCounts(await ledger.tally(id)) };
}
