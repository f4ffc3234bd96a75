import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { HashNumber } from '../../src/ledger/look-up/number-leaf.ts';
import { HASH_CHARACTERS } from '../../src/ledger/look-up/number-leaf.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  forJobs,
  inFlight,
  messages,
  NOT_SENT,
  type OpenLedger,
  REJECTED,
  resendOf,
  resolvedPerMessage,
  SENT,
  startRig,
  taken,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

export const hashOf: HashNumber = (team, phone) =>
  createHmac('sha256', 'key').update(`${team}/${phone}`).digest('base64url').slice(0, HASH_CHARACTERS);

const PHONE = '447946095800';
const toPhone = { chunks: [[{ phone: PHONE, text: 'Hello' }]] };

export async function listAll(ledger: Ledger): Promise<void> {
  while (await ledger.listNumbers(hashOf));
}

/** The look-up by number. */
export function numbersContract(open: OpenLedger): void {
  async function found(ledger: Ledger, phone = PHONE, since = 0) {
    await listAll(ledger);
    return ledger.lookUp('T1', hashOf('T1', phone), since);
  }

  test('says when, by whom, where and with which outcome a number was texted, each message once', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const at = clock.now();
    const first = await inFlight(ledger, 's1', toPhone);
    expect(await found(ledger)).toEqual([]);
    await ledger.settle(first.ref, first.token, SENT);
    clock.advance(3_600_000);
    const second = await inFlight(ledger, 's2', { ...toPhone, channelId: 'C2' });
    await ledger.settle(second.ref, second.token, REJECTED);
    clock.advance(60_000);
    const third = await inFlight(ledger, 's3', toPhone);
    await ledger.settle(third.ref, third.token, NOT_SENT);
    const minute = Math.floor(at / 60_000);
    const listed = [
      { hash: hashOf('T1', PHONE), minute, outcome: 's', by: 'U1', channelId: 'C1' },
      { hash: hashOf('T1', PHONE), minute: minute + 60, outcome: 'r', by: 'U1', channelId: 'C2' },
      { hash: hashOf('T1', PHONE), minute: minute + 61, outcome: 'n', by: 'U1', channelId: 'C1' },
    ];
    expect(await found(ledger)).toEqual(listed);
    const next = await reopen();
    expect(await found(next)).toEqual(listed);
    expect(await found(next, PHONE, at + 60_000)).toEqual(listed.slice(1));
    expect(await found(next, '447946095801')).toEqual([]);
    expect(await next.lookUp('T2', hashOf('T1', PHONE), 0)).toEqual([]);
  });

  test('follows an unknown text: called sent, answered late, answered late for each message', async () => {
    const { ledger } = await startRig(open);
    const said = await unknownSingle(ledger, 's1', toPhone);
    expect(await found(ledger)).toMatchObject([{ outcome: 'u' }]);
    await ledger.saySent(resendOf(said.ref), 'U2');
    expect(await found(ledger)).toMatchObject([{ outcome: 'a' }]);
    await ledger.settle(said.ref, said.token, SENT);
    expect(await found(ledger)).toMatchObject([{ outcome: 's' }]);

    const two = [...messages(1), { phone: PHONE, text: 'Hello' }];
    await confirmed(ledger, aJob('j1', [], { chunks: [two], team: 'T1' }));
    const attempt = await taken(ledger, forJobs());
    await ledger.settle(attempt.ref, attempt.token, { to: 'unknown', request: 'unanswered', result: null });
    expect(await found(ledger)).toMatchObject([{ outcome: 's' }, { outcome: 'u' }]);
    const parts = [aPart('sent', two.slice(1)), aPart('unknown', two.slice(0, 1))];
    await ledger.settle(attempt.ref, attempt.token, resolvedPerMessage(parts));
    expect(await found(ledger)).toMatchObject([{ outcome: 's' }, { outcome: 's' }]);
    expect(await found(ledger, two[0]?.phone)).toMatchObject([{ outcome: 'u' }]);
  });

  test('finds each of many, also if two list at the same time', async () => {
    const { ledger, reopen } = await startRig(open);
    const job = aJob('j1', [100, 100, 100, 100, 100, 7]);
    await confirmed(ledger, job);
    for (const _ of job.chunks) {
      const attempt = await taken(ledger, forJobs());
      await ledger.settle(attempt.ref, attempt.token, SENT);
    }
    const other = await reopen();
    await Promise.all([listAll(ledger), listAll(other)]);
    for (const { phone } of job.chunks.flat()) {
      expect(await other.lookUp('T1', hashOf('T1', phone), 0)).toHaveLength(1);
    }
    expect(await ledger.listNumbers(hashOf)).toBe(false);
  });

  test('forgets a number on request, and no other', async () => {
    const { ledger } = await startRig(open);
    for (const [id, send] of [
      ['s1', toPhone],
      ['s2', toPhone],
      ['s3', {}],
    ] as const) {
      const { ref, token } = await inFlight(ledger, id, send);
      await ledger.settle(ref, token, SENT);
    }
    const [other] = await ledger.chunks('s3');
    await listAll(ledger);
    expect(await ledger.forgetNumber('T1', hashOf('T1', PHONE))).toBe(2);
    expect(await ledger.forgetNumber('T1', hashOf('T1', PHONE))).toBe(0);
    expect(await found(ledger)).toEqual([]);
    expect(await found(ledger, other?.messages[0]?.phone)).toHaveLength(1);
  });

  test('drops entries that are too old, where one of a leaf is due', async () => {
    const { ledger, clock } = await startRig(open);
    const days = 86_400_000;
    const at = clock.now();
    for (let day = 0; day < 3; day += 1) {
      const { ref, token } = await inFlight(ledger, `s${day}`, toPhone);
      await ledger.settle(ref, token, SENT);
      clock.advance(days);
    }
    await listAll(ledger);
    expect(await ledger.deleteOldEntries(at + 2 * days, at)).toBe(false);
    expect(await found(ledger)).toHaveLength(3);
    await ledger.deleteOldEntries(at + 2 * days, at + days);
    expect(await found(ledger)).toHaveLength(1);
  });

  test('has no draft, and nothing that was stopped before it was sent', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('s1', toPhone));
    await confirmed(ledger, aJob('j1', [], toPhone));
    await ledger.stop('j1');
    expect(await found(ledger)).toEqual([]);
  });
}
