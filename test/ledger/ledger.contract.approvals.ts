import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Decision, NewSend } from '../../src/ledger/model/decision-types.ts';
import { APPROVAL_MS } from '../../src/ledger/rules/approvals.ts';
import {
  aJob,
  aSingle,
  forJobs,
  type OpenLedger,
  SENT,
  startRig,
  taken,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

const ASK: Decision = { to: 'awaiting_approval', by: 'ana', approval: { topic: 'approval' } };
const APPROVE: Decision = { to: 'running', by: 'adam', approval: {} };
const HALF_AN_HOUR = 1_800_000;

/** A draft with a request for approval. */
async function asked(ledger: Ledger, send: NewSend, ask: Partial<Decision> = {}): Promise<void> {
  await ledger.draft(send);
  expect(await ledger.decide(send.id, { ...ASK, ...ask })).toMatchObject({ won: true });
}

/** Takes the due row and marks it as posted. */
async function posted(ledger: Ledger) {
  const row = await ledger.takeDue('poster', 1000);
  if (row) await ledger.markPosted(row.id, 'poster', null);
  return row;
}

export function approvalsContract(open: OpenLedger): void {
  test('a request keeps what was drafted, lives a day, and its card is due in the same step', async () => {
    const { ledger, clock } = await startRig(open);
    const send = aJob('s1', [3, 2], { details: { by: 'ana', words: 'Hello' } });
    await asked(ledger, send, { details: { reply: 'here' } });
    expect(await ledger.find('s1')).toMatchObject({
      state: 'awaiting_approval',
      expiresAt: clock.now() + APPROVAL_MS,
      details: { by: 'ana', words: 'Hello', reply: 'here' },
      approval: { askedBy: 'ana', askedAt: clock.now(), topic: 'approval' },
    });
    expect((await ledger.chunks('s1')).map(({ messages }) => messages)).toEqual(send.chunks);
    expect(await posted(ledger)).toMatchObject({ id: 'approval:s1', topic: 'approval', subject: 's1' });
    expect((await ledger.take(forJobs())).kind).toBe('idle');
    await expect(ledger.appendChunks('s1', send.chunks)).rejects.toThrow();
  });

  test('an approved request that is undone is announced again, and keeps its approver', async () => {
    const { ledger, clock } = await startRig(open);
    await asked(ledger, aSingle('s1'));
    const approved = await ledger.decide('s1', { ...APPROVE, startsInMs: 10_000 });
    expect(approved).toMatchObject({ won: true });
    expect(await posted(ledger)).toMatchObject({ id: 'approval:s1' });
    await ledger.undo('s1', { by: 'ana', details: {}, keeps: { by: 'ana' } });
    expect(await posted(ledger)).toMatchObject({ id: 'approval:s1' });
    const approval = { askedBy: 'ana', by: 'adam', at: clock.now() };
    expect(await ledger.find('s1')).toMatchObject({ state: 'cancelled', undoneBy: 'ana', approval });
  });

  test('an approved request is sent as drafted; its author is the sender, and the approver is written down', async () => {
    const { ledger, clock } = await startRig(open);
    const send = aJob('s1', [2]);
    await asked(ledger, send);
    await posted(ledger);
    clock.advance(5000);
    const decided = await ledger.decide('s1', APPROVE);
    expect(decided).toMatchObject({
      won: true,
      send: {
        state: 'running',
        decidedBy: 'ana',
        decidedAt: clock.now(),
        approval: { askedBy: 'ana', by: 'adam', at: clock.now() },
      },
    });
    expect(await posted(ledger)).toMatchObject({ id: 'approval:s1' });
    const attempt = await taken(ledger, forJobs());
    expect(attempt.chunk.messages).toEqual(send.chunks[0]);
    await ledger.settle(attempt.ref, attempt.token, SENT);
    expect(await ledger.history({ team: 'T1', by: 'ana', limit: 9 })).toHaveLength(1);
  });

  test('nobody approves their own request, unless that is allowed', async () => {
    const { ledger } = await startRig(open);
    await asked(ledger, aSingle('s1'));
    const own: Decision = { ...APPROVE, by: 'ana' };
    expect(await ledger.decide('s1', own)).toMatchObject({ won: false, why: 'own_request' });
    expect((await ledger.find('s1'))?.state).toBe('awaiting_approval');
    expect(await ledger.decide('s1', { ...own, approval: { isOwnAllowed: true } })).toMatchObject({
      won: true,
      send: { approval: { by: 'ana' } },
    });
  });

  test('a plain Send does not send a request, nor is it asked for twice; a draft is not approved or declined', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('draft'));
    for (const decision of [APPROVE, { ...APPROVE, to: 'declined' as const }]) {
      expect(await ledger.decide('draft', decision)).toMatchObject({ won: false, why: 'decided' });
    }
    await asked(ledger, aSingle('s1'));
    for (const decision of [{ to: 'running' as const, by: 'ana' }, ASK]) {
      expect(await ledger.decide('s1', decision)).toMatchObject({ won: false, why: 'decided' });
    }
    expect((await ledger.find('draft'))?.state).toBe('draft');
    expect((await ledger.find('s1'))?.state).toBe('awaiting_approval');
  });

  test('one of 200 racing approvals, declines and withdrawals wins', async () => {
    const { ledger } = await startRig(open);
    await asked(ledger, aSingle('s1'));
    const decisions: Decision[] = [
      APPROVE,
      { to: 'declined', by: 'adam', approval: { reason: 'No' } },
      { to: 'cancelled', by: 'ana' },
    ];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => ledger.decide('s1', decisions[i % 3] ?? APPROVE)),
    );
    const won = answers.flatMap((answer, i) => (answer.won ? [decisions[i % 3]?.to] : []));
    expect(won).toHaveLength(1);
    expect((await ledger.find('s1'))?.state).toBe(won[0]);
  });

  test('a declined request loses its messages at once, and the rest of its words after half an hour', async () => {
    const { ledger, clock } = await startRig(open);
    await asked(ledger, aSingle('s1', { details: { by: 'ana', words: 'Hello' }, keeps: { by: 'ana' } }));
    await ledger.decide('s1', { to: 'declined', by: 'adam', approval: { reason: 'Too dear' } });
    expect(await ledger.find('s1')).toMatchObject({
      state: 'declined',
      endedAt: clock.now(),
      details: { words: 'Hello' },
      approval: { askedBy: 'ana', by: 'adam', reason: 'Too dear' },
    });
    expect(await ledger.chunks('s1')).toEqual([]);
    clock.advance(HALF_AN_HOUR - 1);
    await ledger.recover();
    expect((await ledger.find('s1'))?.details).toMatchObject({ words: 'Hello' });
    clock.advance(1);
    expect((await ledger.pendingWork()).needsRecovery).toBe(true);
    await ledger.recover();
    expect((await ledger.find('s1'))?.details).toEqual({ by: 'ana' });
    expect((await ledger.pendingWork()).needsRecovery).toBe(false);
  });

  test.each(['cancelled', 'superseded'] as const)('a request that was %s forgets all at once', async (to) => {
    const { ledger } = await startRig(open);
    await asked(ledger, aSingle('s1', { details: { by: 'ana', words: 'Hello' }, keeps: { by: 'ana' } }));
    await posted(ledger);
    expect(await ledger.decide('s1', { to, by: 'ana' })).toMatchObject({ won: true });
    expect(await ledger.find('s1')).toMatchObject({ state: to, details: { by: 'ana' } });
    expect(await ledger.chunks('s1')).toEqual([]);
    expect(await posted(ledger)).toMatchObject({ id: 'approval:s1' });
  });

  test('after a day it expires, to the millisecond; its card says so', async () => {
    const { ledger, clock } = await startRig(open);
    await asked(ledger, aSingle('s1', { topics: ['receipt'] }));
    await asked(ledger, aSingle('s2'));
    await posted(ledger);
    await posted(ledger);
    clock.advance(APPROVAL_MS - 1);
    await ledger.recover();
    expect((await ledger.find('s1'))?.state).toBe('awaiting_approval');
    clock.advance(1);
    expect(await ledger.decide('s2', APPROVE)).toMatchObject({ won: false, why: 'expired' });
    await ledger.recover();
    expect((await ledger.find('s1'))?.state).toBe('expired');
    const rows = [await posted(ledger), await posted(ledger), await posted(ledger)];
    expect(rows.map((row) => row?.id).sort()).toEqual(['approval:s1', 'approval:s2', undefined]);
  });

  test('those that wait are listed by workspace, oldest first, until they are decided', async () => {
    const { ledger, clock } = await startRig(open);
    await asked(ledger, aSingle('first'));
    clock.advance(1000);
    await asked(ledger, aSingle('second'));
    await asked(ledger, aSingle('elsewhere', { team: 'T2' }));
    const ids = async () => (await ledger.awaitingApproval('T1')).map(({ id }) => id);
    expect(await ids()).toEqual(['first', 'second']);
    await ledger.decide('first', APPROVE);
    expect(await ids()).toEqual(['second']);
    expect(await ledger.expireDrafts('T1', 'C1')).toBe(1);
    expect(await ids()).toEqual([]);
  });

  test('two requests repeat the same unknown text: one is approved', async () => {
    const { ledger, clock } = await startRig(open);
    await unknownSingle(ledger, 'lost');
    clock.advance(60_000);
    const resends = { send: 'lost', indexes: [0] };
    await asked(ledger, aSingle('s1', { resends }));
    await asked(ledger, aSingle('s2', { resends }));
    expect(await ledger.decide('s1', APPROVE)).toMatchObject({ won: true });
    expect(await ledger.decide('s2', APPROVE)).toMatchObject({ won: false, why: 'resent_already' });
    expect((await ledger.find('s2'))?.state).toBe('awaiting_approval');
  });

  test('a restart keeps a request, and a request from the future is over', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await asked(ledger, aSingle('s1'));
    const again = await reopen();
    expect((await again.find('s1'))?.state).toBe('awaiting_approval');
    clock.advance(-1000);
    const later = await reopen();
    expect((await later.find('s1'))?.state).toBe('expired');
  });

  test('retention deletes a declined request with its card’s row', async () => {
    const { ledger, clock } = await startRig(open);
    await asked(ledger, aSingle('s1', { keeps: {} }));
    await ledger.decide('s1', { to: 'declined', by: 'adam', approval: { reason: 'No' } });
    const remains = { details: () => null, result: () => null, evidence: null };
    const forget = () => ledger.forgetEnded({ team: 'T1', endedBefore: clock.now(), remains });
    expect(await forget()).toBe(0);
    await posted(ledger);
    expect(await forget()).toBe(1);
    expect(await ledger.find('s1')).toBeUndefined();
  });
}
