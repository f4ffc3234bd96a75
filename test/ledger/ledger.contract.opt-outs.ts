import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import type { OptOutRecord, OptOutRequest } from '../../src/ledger/opt-outs/opt-out-documents.ts';
import {
  aJob,
  confirmed,
  forJobs,
  messages,
  type OpenLedger,
  sentFor,
  startRig,
  taken,
} from '../helpers/ledger-fixtures.ts';
import { hashOf, listAll } from './ledger.contract.numbers.ts';

const CAUSE = { by: 'U1', via: 'command', channelId: 'C1' } as const;
const WORDS = { sealedReason: 'sealed STOP' };

function entriesOf(hashes: string[]) {
  return hashes.map((hash) => ({ hash, sealed: `sealed ${hash}`, ...WORDS }));
}

function change(
  ledger: Ledger,
  to: OptOutRequest['to'],
  hashes: string[],
  over: Partial<OptOutRequest> = {},
): Promise<number> {
  return ledger.changeOptOuts({ team: 'T1', to, cause: CAUSE, entries: entriesOf(hashes), ...over });
}

/** Numbers that must get no texts. */
export function optOutsContract(open: OpenLedger): void {
  test('a number is opted out once, by the first, with who, when, why and from where', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const at = clock.now();
    expect(await change(ledger, 'out', ['a', 'b'])).toBe(2);
    clock.advance(1000);
    const second = { cause: { by: 'U2', via: 'import' } } as const;
    expect(await change(ledger, 'out', ['a', 'c', 'c'], second)).toBe(1);
    const next = await reopen();
    expect(await next.optOut('T1', 'a')).toEqual({
      team: 'T1',
      hash: 'a',
      sealed: 'sealed a',
      changes: [{ ...CAUSE, ...WORDS, to: 'out', at }],
    });
    expect(await next.countOptOuts('T1')).toBe(3);
    expect(await next.whichOptedOut('T1', ['a', 'c', 'd'])).toEqual(new Set(['a', 'c']));
  });

  test('each workspace has its own', async () => {
    const { ledger } = await startRig(open);
    await change(ledger, 'out', ['a']);
    expect(await ledger.whichOptedOut('T2', ['a'])).toEqual(new Set());
    expect(await ledger.countOptOuts('T2')).toBe(0);
    expect(await ledger.teamsWithOptOuts()).toEqual(['T1']);
  });

  test('a number that is opted in again may be texted, and its past is kept', async () => {
    const { ledger, clock } = await startRig(open);
    const at = clock.now();
    await change(ledger, 'out', ['a', 'b']);
    expect(await change(ledger, 'in', ['a', 'd'])).toBe(1);
    expect(await ledger.whichOptedOut('T1', ['a', 'b', 'd'])).toEqual(new Set(['b']));
    expect(await ledger.countOptOuts('T1')).toBe(1);
    expect((await ledger.optOut('T1', 'a'))?.changes).toEqual([
      { ...CAUSE, ...WORDS, to: 'out', at },
      { ...CAUSE, ...WORDS, to: 'in', at },
    ]);
    expect(await ledger.optOut('T1', 'd')).toBeUndefined();
    expect(await change(ledger, 'out', ['a'])).toBe(1);
    expect(await ledger.whichOptedOut('T1', ['a'])).toEqual(new Set(['a']));
  });

  test('they are listed page by page, the newest first, without those taken back', async () => {
    const { ledger, clock } = await startRig(open);
    await change(ledger, 'out', ['a', 'b', 'c']);
    clock.advance(1000);
    await change(ledger, 'out', ['d', 'e']);
    await change(ledger, 'in', ['b']);
    const seen: string[] = [];
    for (let before: OptOutRecord | undefined; ; ) {
      const page = await ledger.listOptOuts('T1', { limit: 2, ...(before && { before }) });
      seen.push(...page.map(({ hash }) => hash));
      before = page.at(-1);
      if (page.length < 2) break;
    }
    expect(seen).toEqual(['e', 'd', 'c', 'a']);
  });

  test('a change that is made again leaves numbers alone that somebody has changed since', async () => {
    const { ledger, clock } = await startRig(open);
    const unlessChangedSince = clock.now();
    await change(ledger, 'out', ['a', 'b']);
    clock.advance(1000);
    await change(ledger, 'in', ['a']);
    const again = { unlessChangedSince };
    expect(await change(ledger, 'out', ['a', 'b', 'c'], again)).toBe(1);
    expect(await ledger.whichOptedOut('T1', ['a', 'b', 'c'])).toEqual(new Set(['b', 'c']));
    expect(await change(ledger, 'in', ['b', 'c'], { unlessChangedSince: clock.now() })).toBe(2);
    expect(await ledger.countOptOuts('T1')).toBe(0);
  });

  test('of racing changes of one number each counts once', async () => {
    const { ledger } = await startRig(open);
    const changed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => change(ledger, 'out', ['a', `b${index % 4}`])),
    );
    expect(changed.reduce((sum, each) => sum + each, 0)).toBe(5);
    expect(await ledger.countOptOuts('T1')).toBe(5);
  });

  test('only the newest changes of a number are kept', async () => {
    const { ledger, clock } = await startRig(open);
    for (let turn = 0; turn < 30; turn += 1) {
      clock.advance(1);
      await change(ledger, turn % 2 === 0 ? 'out' : 'in', ['a']);
    }
    const found = await ledger.optOut('T1', 'a');
    expect(found?.changes).toHaveLength(20);
    expect(found?.changes.at(-1)).toMatchObject({ to: 'in', at: clock.now() });
  });

  test('an erased number stays opted out by its hash alone; one that was opted in goes', async () => {
    const { ledger, clock } = await startRig(open);
    await change(ledger, 'out', ['a', 'b']);
    await change(ledger, 'in', ['b']);
    expect(await ledger.eraseOptOut('T1', 'a')).toBe('kept');
    expect(await ledger.eraseOptOut('T1', 'b')).toBe('deleted');
    expect(await ledger.eraseOptOut('T1', 'c')).toBe('none');
    expect(await ledger.optOut('T1', 'a')).toEqual({
      team: 'T1',
      hash: 'a',
      changes: [{ ...CAUSE, to: 'out', at: clock.now() }],
    });
    expect(await ledger.optOut('T1', 'b')).toBeUndefined();
    expect(await ledger.whichOptedOut('T1', ['a', 'b'])).toEqual(new Set(['a']));
    expect(await ledger.countOptOuts('T1')).toBe(1);
  });

  test('an opt-out that was taken back is deleted later, one that holds never', async () => {
    const { ledger, clock } = await startRig(open);
    await change(ledger, 'out', ['a', 'b', 'c']);
    await change(ledger, 'in', ['a']);
    const before = clock.now();
    clock.advance(1);
    await change(ledger, 'in', ['b']);
    expect(await ledger.deleteOver('optIns', before)).toBe(1);
    expect(await ledger.deleteOver('optIns', before)).toBe(0);
    expect(await ledger.optOut('T1', 'a')).toBeUndefined();
    expect((await ledger.optOut('T1', 'b'))?.changes).toHaveLength(2);
    expect(await ledger.whichOptedOut('T1', ['a', 'b', 'c'])).toEqual(new Set(['c']));
  });

  test('all of it can be forgotten, in all workspaces', async () => {
    const { ledger } = await startRig(open);
    await change(ledger, 'out', ['a', 'b']);
    await change(ledger, 'in', ['b']);
    await change(ledger, 'out', ['a'], { team: 'T2' });
    expect(await ledger.forgetOptOuts()).toBe(2);
    expect(await ledger.whichOptedOut('T1', ['a', 'b'])).toEqual(new Set());
    expect([await ledger.countOptOuts('T1'), await ledger.countOptOuts('T2')]).toEqual([0, 0]);
    expect(await ledger.teamsWithOptOuts()).toEqual([]);
  });

  test('all of it can be sealed again', async () => {
    const { ledger } = await startRig(open);
    await change(ledger, 'out', ['a', 'b']);
    await ledger.eraseOptOut('T1', 'b');
    const renew = (sealed: string, address: string) =>
      sealed.startsWith('new') ? sealed : `new ${address} ${sealed}`;
    expect(await ledger.resealOptOuts(renew)).toBe(1);
    expect(await ledger.resealOptOuts(renew)).toBe(0);
    expect(await ledger.optOut('T1', 'a')).toMatchObject({
      sealed: 'new opt-outs/T1/a sealed a',
      changes: [{ sealedReason: 'new opt-outs/T1/a sealed STOP' }],
    });
  });
}

/** Messages that a list leaves out from the beginning. */
export function leftOutContract(open: OpenLedger): void {
  const part = (count: number) => ({
    messages: messages(count),
    result: { cause: 'opted_out' },
    barredFor: 'opted_out' as const,
  });

  test('have their outcome and their place behind the others, and are never taken', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const out = [part(2), part(1)];
    await ledger.draft(aJob('j1', [2]));
    await ledger.appendLeftOut('j1', out.slice(0, 1));
    await (await reopen()).appendLeftOut('j1', out.slice(1));
    await expect(ledger.appendChunks('j1', [messages(1)])).rejects.toThrow();
    const decided = await ledger.decide('j1', { to: 'running', by: 'U1' });
    expect(decided.won).toBe(true);
    const first = await taken(ledger, forJobs());
    expect(first.chunk.index).toBe(0);
    await ledger.settle({ send: 'j1', index: 0 }, first.token, sentFor(2));
    expect(await ledger.take(forJobs())).toEqual({ kind: 'idle' });
    expect((await ledger.find('j1'))?.state).toBe('finished');
    const tally = await ledger.tally('j1');
    expect(tally).toMatchObject({ barred: { opted_out: 3 }, creditsUsed: 2 });
    expect(tally.states).toMatchObject({
      sent: { chunks: 1, messages: 2 },
      not_sent: { chunks: 2, messages: 3 },
    });
    expect(
      (await ledger.chunks('j1', { from: 1 })).map((chunk) => [chunk.messages, chunk.state, chunk.settledAt]),
    ).toEqual(out.map(({ messages }) => [messages, 'not_sent', clock.now()]));
  });

  test('are no reason to set a draft going', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aJob('j1', []));
    await ledger.appendLeftOut('j1', [part(1)]);
    await expect(ledger.decide('j1', { to: 'running', by: 'U1' })).rejects.toThrow();
  });

  test('go with their draft, and the look-up never knows them', async () => {
    const { ledger, clock } = await startRig(open);
    const out = part(2);
    await ledger.draft(aJob('gone', [1]));
    await ledger.appendLeftOut('gone', [out]);
    await ledger.decide('gone', { to: 'cancelled', by: 'U1' });
    expect(await ledger.chunks('gone')).toEqual([]);
    await ledger.draft(aJob('kept', [1]));
    await ledger.appendLeftOut('kept', [out]);
    await ledger.decide('kept', { to: 'running', by: 'U1' });
    await ledger.stop('kept');
    await listAll(ledger);
    for (const { phone } of out.messages) {
      expect(await ledger.lookUp('T1', hashOf('T1', phone), 0)).toEqual([]);
    }
    clock.advance(86_400_000);
    const remains = { details: () => ({}), result: () => ({ cause: 'opted_out' }), evidence: {} };
    while ((await ledger.forgetEnded({ team: 'T1', endedBefore: clock.now(), remains })) > 0);
    expect(
      (await ledger.chunks('kept')).map(({ messages, state, barredFor }) => [messages, state, barredFor]),
    ).toEqual([
      [[], 'cancelled', undefined],
      [[], 'not_sent', 'opted_out'],
    ]);
  });

  test('of a chunk that is split for them are left out once, and the rest goes on', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [3]));
    const { chunk, token } = await taken(ledger, forJobs());
    const [out, ...kept] = chunk.messages as [LedgerMessage, LedgerMessage, LedgerMessage];
    await ledger.settle({ send: 'j1', index: 0 }, token, {
      to: 'split',
      request: 'never_started',
      children: [kept],
      mostRequests: 10,
      leftOut: [{ messages: [out], result: { cause: 'opted_out' }, barredFor: 'opted_out' }],
      otherwise: { to: 'pending', request: 'never_started', waitMs: 0 },
    });
    const tally = await ledger.tally('j1');
    expect(tally.barred).toEqual({ opted_out: 1 });
    expect(tally.states.not_sent).toEqual({ chunks: 1, messages: 1 });
    expect((await taken(ledger, forJobs())).chunk.messages).toEqual(kept);
  });
}
