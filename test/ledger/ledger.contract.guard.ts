import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Decision, NewSend, Settlement } from '../../src/ledger/types.ts';
import {
  aSingle,
  NOT_SENT,
  type OpenLedger,
  REJECTED,
  resendOf,
  SENT,
  startRig,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

const HOUR_MS = 3_600_000;
const WORDS = { hash: 'hash-of-hello', holdsMs: 24 * HOUR_MS };

/** Decides a draft of the same words as every other one here. */
function decide(ledger: Ledger, id: string, over: Partial<Decision['words']> & { by?: string } = {}) {
  const { by = 'U1', ...words } = over;
  return ledger.decide(id, { to: 'running', by, words: { ...WORDS, ...words } });
}

/** A single text of those words that ended so. */
async function endedAs(
  ledger: Ledger,
  id: string,
  settlement: Settlement,
  over: Partial<NewSend> = {},
): Promise<void> {
  await ledger.draft(aSingle(id, over));
  expect(await decide(ledger, id)).toMatchObject({ won: true });
  const { ref, token } = await taken(ledger);
  await ledger.settle(ref, token, settlement);
}

/** Which send brings the same words to the same number, and who is asked about it. */
export function guardContract(open: OpenLedger): void {
  test('of 20 people who send the same words to a number at the same moment one does, the others read who', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const other = await reopen();
    const ids = Array.from({ length: 20 }, (_, i) => `s${i}`);
    for (const id of ids) await ledger.draft(aSingle(id));
    const answers = await Promise.all(
      ids.map((id, i) => decide(i % 2 ? other : ledger, id, { by: `U${i}` })),
    );
    const first = answers.findIndex(({ won }) => won);
    for (const [i, answer] of answers.entries()) {
      if (i === first) continue;
      const same = { send: `s${first}`, by: `U${first}`, at: clock.now(), state: 'pending' };
      expect(answer).toMatchObject({ won: false, why: 'same_words', same, send: { state: 'draft' } });
    }
    expect(await ledger.sameWords('T1', WORDS.hash)).toMatchObject({ send: `s${first}` });
  });

  test('who was told of a send may send all the same, but not over one that came since', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    for (const id of ['s2', 's3']) await ledger.draft(aSingle(id));
    expect(await decide(ledger, 's2', { allowed: 's1' })).toMatchObject({ won: true });
    expect(await decide(ledger, 's3', { allowed: 's1' })).toMatchObject({ same: { send: 's2' } });
    expect(await decide(ledger, 's3', { allowed: 's2' })).toMatchObject({ won: true });
  });

  test('other words, another workspace and a guard that is off ask nobody', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    await ledger.draft(aSingle('s2'));
    await ledger.draft(aSingle('s3', { team: 'T2' }));
    await ledger.draft(aSingle('s4'));
    expect(await decide(ledger, 's2', { hash: 'hash-of-bye' })).toMatchObject({ won: true });
    expect(await decide(ledger, 's3')).toMatchObject({ won: true });
    expect(await ledger.decide('s4', { to: 'running', by: 'U1' })).toMatchObject({ won: true });
  });

  test.each([
    ['sent', SENT, true],
    ['unknown', UNANSWERED, true],
    ['rejected', REJECTED, false],
    ['not sent', NOT_SENT, false],
  ] as [string, Settlement, boolean][])('a text that was %s: asks %s', async (_name, settlement, asks) => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', settlement);
    await ledger.draft(aSingle('s2'));
    expect((await decide(ledger, 's2')).won).toBe(!asks);
  });

  test('a text that was stopped, or withdrawn, asks nobody', async () => {
    const { ledger } = await startRig(open);
    for (const id of ['s1', 's2', 's3']) await ledger.draft(aSingle(id));
    await decide(ledger, 's1');
    expect(await decide(ledger, 's2')).toMatchObject({ won: false });
    await ledger.stop('s1');
    expect(await ledger.decide('s2', { to: 'cancelled', by: 'U1', words: WORDS })).toMatchObject({
      won: true,
    });
    expect(await decide(ledger, 's3')).toMatchObject({ won: true });
  });

  test('a repeat that went nowhere does not hide the text before it', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    await ledger.draft(aSingle('s2'));
    await decide(ledger, 's2', { allowed: 's1' });
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, REJECTED);
    await ledger.draft(aSingle('s3'));
    expect(await decide(ledger, 's3')).toMatchObject({ same: { send: 's1', state: 'sent' } });
  });

  test('an unknown text that is sent again asks nobody, and the next one is asked about it', async () => {
    const { ledger, clock } = await startRig(open);
    await endedAs(ledger, 's1', UNANSWERED);
    clock.advance(30_000);
    await ledger.draft(aSingle('s2', { resends: resendOf({ send: 's1', index: 0 }) }));
    expect(await decide(ledger, 's2')).toMatchObject({ won: true });
    await ledger.draft(aSingle('s3'));
    expect(await decide(ledger, 's3')).toMatchObject({ same: { send: 's2' } });
  });

  test('asks until its time is over, and knows nothing of it after that', async () => {
    const { ledger, clock } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    clock.advance(WORDS.holdsMs - 1);
    await ledger.recover();
    await ledger.draft(aSingle('s2'));
    expect(await decide(ledger, 's2')).toMatchObject({ same: { send: 's1' } });
    clock.advance(1);
    expect(await decide(ledger, 's2')).toMatchObject({ won: true });
    clock.advance(WORDS.holdsMs);
    expect((await ledger.pendingWork()).needsRecovery).toBe(true);
    await ledger.recover();
    expect((await ledger.pendingWork()).needsRecovery).toBe(false);
    const left = ledger.exportTeam('T1', []);
    for await (const { kind } of left) expect(kind).not.toBe('guards');
  });
}
