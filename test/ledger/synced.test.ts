import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { createSteps } from '../../src/store/steps.ts';
import { aSingle, forSingles, handClock, LIMITS, SENT } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const ROW = { id: 'r1', topic: 'receipt', subject: 's1', details: null };

const once = (key: string) => ({ key, ttlMs: 0 });

/** Steps in their order, and whether a power cut may lose each. */
const STEPS: [what: string, isSynced: boolean, step: (ledger: Ledger) => Promise<unknown>][] = [
  ['draft', true, (ledger) => ledger.draft(aSingle('s1', { once: once('command') }))],
  ['decide', true, (ledger) => ledger.decide('s1', { to: 'running', by: 'U1', once: once('click') })],
  ['take', true, (ledger) => ledger.take(forSingles({ token: 't1' }))],
  ['settle', true, (ledger) => ledger.settle({ send: 's1', index: 0 }, 't1', SENT)],
  ['announce', true, (ledger) => ledger.announce(ROW)],
  ['takeDue', true, (ledger) => ledger.takeDue('t2', 1000)],
  ['markPosted', true, (ledger) => ledger.markPosted('r1', 't2', null)],
  ['changeState', true, (ledger) => ledger.changeState('low', { from: undefined, to: 'on', details: null })],
  ['permit', false, (ledger) => ledger.permit('k1', 'interactive', 't3')],
  ['returnPermit', false, (ledger) => ledger.returnPermit('k1', 't3', 'answered')],
  [
    'permitBalanceRead',
    false,
    (ledger) => ledger.permitBalanceRead('a1', { rateLimitKey: 'k2', priority: 'interactive', token: 't4' }),
  ],
  ['firstTime', false, (ledger) => ledger.firstTime('click', 0)],
  ['tryToWrite', true, (ledger) => ledger.tryToWrite('ready', 0)],
  ['recordBalance', false, async (ledger) => ledger.recordBalance(await ledger.markBalanceRead('a1'), 5)],
  ['recover', false, (ledger) => ledger.recover()],
];

test('a power cut may only lose steps that spend nothing', async () => {
  const engine = createMemoryEngine(handClock().now);
  const synced: boolean[] = [];
  const steps = createSteps({
    ...engine,
    commit(change, until) {
      synced.push(change.isSynced);
      return engine.commit(change, until);
    },
  });
  const ledger = createLedger(steps, LIMITS);
  const found: [string, boolean[]][] = [];
  for (const [what, , step] of STEPS) {
    synced.length = 0;
    await step(ledger);
    found.push([what, [...new Set(synced)]]);
  }
  expect(found).toEqual(STEPS.map(([what, isSynced]) => [what, [isSynced]]));
});
