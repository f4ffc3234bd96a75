import { expect, test } from 'vitest';
import type { HistoryEntry, HistoryPlace, HistoryQuery } from '../../src/ledger/history/history.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import {
  aJob,
  aSingle,
  confirmed,
  forJobs,
  type HandClock,
  inFlight,
  type OpenLedger,
  SENT,
  sentFor,
  startRig,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

const placeOf = ({ send: { id, decidedAt = 0 } }: HistoryEntry): HistoryPlace => ({ at: decidedAt, id });

async function idsIn(ledger: Ledger, query: Partial<HistoryQuery> = {}): Promise<string[]> {
  return (await ledger.history({ team: 'T1', limit: 100, ...query })).map(({ send }) => send.id);
}

/** Five sends of C1 and C2 in turns, a second apart; two at the same moment; one of another workspace. */
async function fill(ledger: Ledger, clock: HandClock): Promise<void> {
  for (const [id, channelId] of [
    ['s1', 'C1'],
    ['s2', 'C2'],
    ['s3', 'C1'],
    ['s4', 'C1'],
  ] as const) {
    await confirmed(ledger, aSingle(id, { channelId }));
    if (id !== 's3') clock.advance(1000);
  }
  await confirmed(ledger, aSingle('theirs', { team: 'T2' }));
}

/** Decided sends, newest first. */
export function historyContract(open: OpenLedger): void {
  test('of one person, in any channel of the workspace', async () => {
    const { ledger } = await startRig(open);
    for (const [id, team, by] of [
      ['s1', 'T1', 'U1'],
      ['s2', 'T1', 'U2'],
      ['s3', 'T1', 'U1'],
      ['s4', 'T2', 'U1'],
    ] as const) {
      await ledger.draft(aSingle(id, { team, channelId: `C-${id}` }));
      await ledger.decide(id, { to: 'running', by });
    }
    await ledger.draft(aSingle('undecided'));
    expect((await idsIn(ledger, { by: 'U1' })).sort()).toEqual(['s1', 's3']);
    expect(await idsIn(ledger, { by: 'U1', limit: 1 })).toHaveLength(1);
    expect(await idsIn(ledger, { by: 'U3' })).toEqual([]);
  });

  test('of a workspace, or of a channel, newest first; two of one moment by their ids', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await fill(ledger, clock);
    for (const one of [ledger, await reopen()]) {
      expect(await idsIn(one)).toEqual(['s4', 's3', 's2', 's1']);
      expect(await idsIn(one, { channelId: 'C1' })).toEqual(['s4', 's3', 's1']);
      expect(await idsIn(one, { channelId: 'C3' })).toEqual([]);
      expect(await idsIn(one, { team: 'T2' })).toEqual(['theirs']);
    }
  });

  test('a page at a time, each send once, older and newer', async () => {
    const { ledger, clock } = await startRig(open);
    await fill(ledger, clock);
    const ofC1 = { team: 'T1', channelId: 'C1', limit: 1 };
    const older: HistoryEntry[] = [];
    for (let page = await ledger.history(ofC1); page[0]; ) {
      older.push(page[0]);
      page = await ledger.history({ ...ofC1, olderThan: placeOf(page[0]) });
    }
    expect(older.map(({ send }) => send.id)).toEqual(['s4', 's3', 's1']);
    const [, , oldest] = older;
    if (!oldest) throw new Error('there is no oldest');
    const newerThan = placeOf(oldest);
    expect(await idsIn(ledger, { channelId: 'C1', newerThan, limit: 1 })).toEqual(['s3']);
    expect(await idsIn(ledger, { channelId: 'C1', newerThan })).toEqual(['s4', 's3']);
    expect(await idsIn(ledger, { newerThan })).toEqual(['s4', 's3', 's2']);
  });

  test('between two moments: the first counts, the last does not', async () => {
    const { ledger, clock } = await startRig(open);
    const begun = clock.now();
    await fill(ledger, clock);
    expect(await idsIn(ledger, { from: begun + 1000, to: begun + 2000 })).toEqual(['s2']);
    expect(await idsIn(ledger, { from: begun + 2000 })).toEqual(['s4', 's3']);
    expect(await idsIn(ledger, { to: begun })).toEqual([]);
    expect(await idsIn(ledger, { from: begun + 2000, to: begun })).toEqual([]);
    expect(await idsIn(ledger, { from: -1, to: -1 })).toEqual([]);
  });

  test('never shows drafts, or drafts that ended without a send', async () => {
    const { ledger, clock } = await startRig(open);
    for (const to of ['cancelled', 'superseded'] as const) {
      await ledger.draft(aSingle(to));
      await ledger.decide(to, { to, by: 'U1' });
    }
    await ledger.draft(aSingle('draft', { expiresInMs: 1000 }));
    expect(await idsIn(ledger)).toEqual([]);
    clock.advance(2000);
    await ledger.recover();
    expect(await idsIn(ledger)).toEqual([]);
  });

  test('shows each with its outcome, in any state', async () => {
    const { ledger, clock } = await startRig(open);
    const sent = await inFlight(ledger, 'sent');
    await ledger.settle(sent.ref, sent.token, sentFor(3));
    clock.advance(1);
    const unknown = await inFlight(ledger, 'unknown');
    await ledger.settle(unknown.ref, unknown.token, UNANSWERED);
    clock.advance(1);
    await confirmed(ledger, aJob('job', [2, 1]));
    const chunk = await taken(ledger, forJobs());
    await ledger.settle(chunk.ref, chunk.token, SENT);
    const states = async () => (await ledger.history({ team: 'T1', limit: 9 })).map(({ send }) => send.state);
    expect(await states()).toEqual(['running', 'finished', 'finished']);
    await ledger.pause('job', 'person');
    expect(await states()).toEqual(['paused', 'finished', 'finished']);
    await ledger.stop('job');
    const found = await ledger.history({ team: 'T1', limit: 9 });
    expect(found.map(({ send, messages }) => [send.id, send.state, messages.length])).toEqual([
      ['job', 'stopped', 0],
      ['unknown', 'finished', 1],
      ['sent', 'finished', 1],
    ]);
    expect(found.map(({ tally }) => tally)).toEqual(
      await Promise.all(['job', 'unknown', 'sent'].map((id) => ledger.tally(id))),
    );
    expect(found[2]?.messages).toEqual(sent.chunk.messages);
  });
}
