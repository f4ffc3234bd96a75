import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { OutboxRow, Poster } from '../../src/ledger/outbox/outbox-types.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { Engine } from '../../src/store/store.ts';
import { StoreTroubleError } from '../../src/store/store-error.ts';
import { freshToken, handClock, LIMITS } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const LEASE_MS = 10_000;
const ROW = { id: 'r1', topic: 'receipt', subject: 's1', details: null };

/** A ledger that posts, on an engine whose next commit does `commit`. `others` is another process. */
function start(
  commit: (engine: Engine, ...asked: Parameters<Engine['commit']>) => ReturnType<Engine['commit']>,
) {
  const engine = createMemoryEngine(handClock().now);
  let isNext = true;
  const ledger = createLedger(
    createSteps({
      ...engine,
      commit(...asked) {
        const isThis = isNext;
        isNext = false;
        return isThis ? commit(engine, ...asked) : engine.commit(...asked);
      },
    }),
    LIMITS,
  );
  const others = createLedger(createSteps(engine), LIMITS);
  const posted: OutboxRow[] = [];
  const lost: string[] = [];
  const poster: Poster = {
    leaseMs: LEASE_MS,
    token: freshToken,
    post: (_token, row) => row && posted.push(row),
    lost: (token) => lost.push(token),
    wake() {},
  };
  ledger.postWith(poster);
  return { engine, ledger, others, posted, lost };
}

test('if the store refuses the commit, no row is handed over, and none is there', async () => {
  const { ledger, posted, lost } = start(async () => {
    throw new StoreTroubleError('refused', 'The disk is full.');
  });
  await expect(ledger.announce(ROW)).rejects.toThrow('full');
  expect(posted).toEqual([]);
  expect(await ledger.takeDue(lost[0] ?? '', LEASE_MS)).toBeUndefined();
  await ledger.announce(ROW);
  expect(posted).toHaveLength(1);
});

test('if the commit’s answer is lost, no row is handed over, and the token finds its row', async () => {
  const { ledger, others, posted, lost } = start(async (engine, ...asked) => {
    await engine.commit(...asked);
    throw new StoreTroubleError('late', 'The connection broke.');
  });
  await expect(ledger.announce(ROW)).rejects.toThrow('broke');
  expect(posted).toEqual([]);
  expect(await others.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
  expect(await ledger.takeDue(lost[0] ?? '', LEASE_MS)).toMatchObject({ id: 'r1', attempts: 0 });
});

test('if others were quicker, the step runs again with the same token', async () => {
  const { ledger, others, posted, lost } = start(async (engine, ...asked) => {
    await others.announce({ ...ROW, details: 'of others' });
    return engine.commit(...asked);
  });
  await ledger.announce({ ...ROW, details: 'mine' });
  expect(posted).toMatchObject([{ id: 'r1', details: 'mine' }]);
  expect(lost).toEqual([]);
  expect(await others.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
});

test('if others have taken the row meanwhile, it stays with them', async () => {
  const { ledger, others, posted, lost } = start(async (engine, ...asked) => {
    await others.announce(ROW);
    await others.takeDue(freshToken(), LEASE_MS);
    return engine.commit(...asked);
  });
  await ledger.announce(ROW);
  expect([posted, lost]).toEqual([[], []]);
});
