import { createHashNumber } from '../src/core/history/hash-number.ts';
import type { OpenStore } from '../src/data/data.ts';
import { accountDays, dailySpending } from '../src/ledger/accounts/account-documents.ts';
import { leafIdOf, numbers } from '../src/ledger/look-up/number-documents.ts';
import { emptyLeaf, type LeafEntry, leavesWith } from '../src/ledger/look-up/number-leaf.ts';
import { type ChunkDocument, chunks } from '../src/ledger/model/chunk-documents.ts';
import { DAY_MS, dayOf } from '../src/ledger/model/days.ts';
import { type SendDocument, sends } from '../src/ledger/model/send-documents.ts';
import { rowIdOf } from '../src/ledger/outbox/announce.ts';
import { outbox } from '../src/ledger/outbox/outbox-documents.ts';
import { addressOf, type Collection } from '../src/store/collection.ts';
import { entriesOf, keysOf } from '../src/store/known-document.ts';
import type { Change, Engine } from '../src/store/store.ts';
import type { World } from '../test/helpers/world.ts';
import { fictitiousNumbers } from './recipients.ts';

/** How often each number is texted. */
export const TEXTS_OF_A_NUMBER = 10;
/** How many documents a commit has. */
const AT_ONCE = 3000;
const EVERY_MS = 1000;
const MINUTE_MS = 60_000;

/** The sender and place of the texts. */
interface Place {
  team: string;
  channelId: string;
  by: string;
  instance: string;
  account: string;
}

/**
 * Writes finished single texts of one channel and one person, a second apart, as the ledger keeps them: with their
 * receipts, the look-up by number, and the statement's days.
 */
export async function fillStore(
  engine: Engine,
  world: World,
  { records, texts }: Pick<OpenStore, 'records'> & { texts: number },
): Promise<void> {
  const { slack } = world;
  const team = slack.team.id;
  const [instance] = await records.instances.list();
  if (!instance) throw new Error('the channel is not linked');
  const place: Place = {
    team,
    channelId: slack.channels.sales.id,
    by: slack.people.member.id,
    instance: instance.id,
    account: instance.accountId,
  };
  await engine.read([], []);
  const end = engine.now();
  const begun = end - texts * EVERY_MS;
  const phones = phonesFor(texts);
  const phoneOf = (at: number) => phones[at % phones.length] as string;
  const write = createWriter(engine);
  for (let at = 0; at < texts; at += 1) {
    const id = `bench-${at}`;
    const moment = begun + at * EVERY_MS;
    await write(sends, id, aText(place, { id, moment, phone: phoneOf(at) }));
    await write(chunks, `${id}/0`, aChunk(place, moment));
    await write(outbox, rowIdOf('receipt', id), { posted: null, postedAt: moment, isOfSend: true });
  }
  const hashOf = createHashNumber(await records.fingerprintSecret());
  const hashes = new Map(phones.map((phone) => [phone, hashOf(team, phone)]));
  const entries = Array.from({ length: texts }, (_, at): LeafEntry => {
    const minute = Math.floor((begun + at * EVERY_MS) / MINUTE_MS);
    const { channelId, by } = place;
    return { hash: hashes.get(phoneOf(at)) as string, minute, outcome: 's', by, channelId };
  });
  for (const leaf of leavesWith(emptyLeaf(team), entries)) await write(numbers, leafIdOf(leaf), leaf);
  await writeDays(write, place, { begun, end });
  await write.rest();
}

/** The numbers for this many texts. */
export function phonesFor(texts: number): string[] {
  const found = fictitiousNumbers().take(texts / TEXTS_OF_A_NUMBER);
  return [...found].map((e164) => e164.slice(1));
}

/** The statement's days before today: a text costs a credit, and a thousand credits are left. */
async function writeDays(
  write: ReturnType<typeof createWriter>,
  { team, channelId, by, account }: Place,
  { begun, end }: { begun: number; end: number },
): Promise<void> {
  for (let day = dayOf(begun); day < dayOf(end); day += 1) {
    const from = Math.max(begun, day * DAY_MS);
    const messages = Math.ceil(((day + 1) * DAY_MS - from) / EVERY_MS);
    const opening = 1000 + Math.ceil((end - from) / EVERY_MS);
    const isFirst = day === dayOf(begun);
    await write(accountDays, `${account}/${day}`, {
      account,
      day,
      opening,
      differences: [],
      ...(isFirst && { since: begun }),
    });
    const id = [team, channelId, day, by, account].join('/');
    const credits = messages;
    await write(dailySpending, id, { team, channelId, by, day, account, credits, messages });
  }
}

/** Writes new documents, many in a commit. `rest` writes the last ones. */
function createWriter(engine: Engine) {
  const emptyChange = (): Change => ({
    expected: [],
    puts: [],
    deletes: [],
    entries: { added: [], removed: [] },
    at: engine.now(),
    isSynced: false,
  });
  let change = emptyChange();
  let count = 0;

  async function rest(): Promise<void> {
    const { outcome } = await engine.commit({ ...change, at: engine.now() });
    if (outcome !== 'ok') throw new Error(`documents could not be written: ${outcome}`);
    change = emptyChange();
  }

  async function write<T>(of: Collection<T>, id: string, value: T): Promise<void> {
    const address = addressOf(of, id);
    count += 1;
    const stored = { version: `bench-${count}`, text: JSON.stringify(value) };
    change.puts.push({ address, stored });
    change.entries.added.push(...entriesOf(address, keysOf(of, { address, value }), {}));
    if (change.puts.length >= AT_ONCE) await rest();
  }

  return Object.assign(write, { rest });
}

function aText(
  { team, channelId, by, instance, account }: Place,
  { id, moment, phone }: { id: string; moment: number; phone: string },
): SendDocument {
  return {
    record: {
      id,
      team,
      channelId,
      instance,
      kind: 'single',
      state: 'finished',
      details: {
        by,
        e164: `+${phone}`,
        country: 'AU',
        accountId: account,
        estimate: { credits: 1, basis: 'documented' },
        balance: 999,
        receiptLine: true,
        confirmedAt: moment,
      },
      topics: ['receipt'],
      createdAt: moment,
      expiresAt: moment + 900_000,
      decidedAt: moment,
      decidedBy: by,
      endedAt: moment,
      inFlightLimit: 8,
      unknownRun: 0,
    },
    work: { chunks: 1, drafted: 1, next: 1, back: {}, inFlight: {}, splitBudgets: {} },
    tally: { states: { sent: { chunks: 1, messages: 1 } }, otherStatuses: {}, creditsUsed: 1 },
    messages: [{ phone, text: 'Your parcel is here: fetch it until six.' }],
  };
}

function aChunk({ account }: Place, moment: number): ChunkDocument {
  return {
    state: 'sent',
    size: 1,
    root: 0,
    attempt: 1,
    refusals: 0,
    settledAt: moment,
    listed: 's',
    account,
    result: { cause: 'accepted', messageId: 4711, creditsUsed: 1, creditsRemaining: 999 },
  };
}
