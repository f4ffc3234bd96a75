import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createLedger } from '../src/ledger/create-ledger.ts';
import type { Ledger } from '../src/ledger/ledger.ts';
import type { Decision } from '../src/ledger/model/decision-types.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { createSteps } from '../src/store/steps.ts';
import { startRedis } from '../test/helpers/redis-server.ts';
import { openBenchStore } from './bench-store.ts';
import { type Figure, inMs, median, ratioOf, type Section } from './figures.ts';
import { aSend, LIMITS, timed } from './intents.ts';
import { RUNS } from './interleaved.ts';
import { inScratchFolder } from './scratch-folder.ts';

const DECISIONS = 300;
const WARM_UP = 100;
const AT_MOST = 1.5;

const PLENTY = 1_000_000_000;
const period = (id: string) => ({ id, renewsAt: Date.UTC(2100, 0, 1), limit: PLENTY, readers: ['C1'] });

/** A decision with every rule on. The bot looks up opt-outs before the request, not here. */
const rules = (): Partial<Decision> => ({
  budget: { credits: 1, perMessage: 1, periods: [period('T1/C1/2026-01'), period('T1/C1/2026-01-05/U1')] },
  words: { hash: randomUUID(), repeatGuardMs: 86_400_000 },
  startsInMs: 60_000,
});

/** The cost of a send's rules in the one step that decides it. */
export async function benchDecisions(): Promise<Section> {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  return {
    title: 'The decision with all rules on',
    means:
      `Single texts, each decided with all rules on, beside one that is decided with none: the median of ${DECISIONS} each. ` +
      'The rules are the budgets of the channel’s month and of the person’s day, the repeat guard and the time to undo.',
    figures: [...(await inScratchFolder(onSqlite)), ...(hasRedis ? await inScratchFolder(onRedis) : [])],
  };
}

async function onSqlite(folder: string): Promise<Figure[]> {
  const db = openDatabase(folder);
  try {
    return [await compare('SQLite', createLedger(createSteps(createSqliteEngine(db)), LIMITS))];
  } finally {
    db.close();
  }
}

async function onRedis(dataDir: string): Promise<Figure[]> {
  const server = await startRedis();
  try {
    const store = await openBenchStore(server.url, dataDir, randomBytes(32));
    const figure = await compare('Redis', store.ledger);
    store.close();
    return [figure];
  } finally {
    await server.close();
  }
}

async function compare(engine: string, ledger: Ledger): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  await measure(ledger, WARM_UP);
  for (let run = 0; run < RUNS; run += 1) {
    const took = await measure(ledger, DECISIONS);
    ours.push(median(took.withRules));
    theirs.push(median(took.without));
  }
  return ratioOf(`${engine}: decision`, { ours, theirs, shown: inMs, target: { atMost: AT_MOST } });
}

async function measure(ledger: Ledger, decisions: number) {
  const took = { withRules: [] as number[], without: [] as number[] };
  for (let count = 0; count < decisions; count += 1) {
    const sides = ['withRules', 'without'] as const;
    for (const side of count % 2 ? sides : sides.toReversed()) {
      took[side].push(await decide(ledger, side === 'withRules' ? rules() : {}));
    }
  }
  return took;
}

/** Decides a send as a click on Send does: announces its receipt, and marks the click. */
async function decide(ledger: Ledger, asked: Partial<Decision>): Promise<number> {
  const send = aSend();
  await ledger.draft(send);
  const receipt = { id: `receipt:${send.id}`, topic: 'receipt', subject: send.id, details: { team: 'T1' } };
  const { answer, ms } = await timed(() =>
    ledger.decide(send.id, {
      to: 'running',
      by: 'U1',
      details: { reply: null },
      announces: receipt,
      once: { key: randomUUID(), ttlMs: 600_000 },
      ...asked,
    }),
  );
  if (!answer.won) throw new Error(`the draft was not decided: ${answer.why}`);
  return ms;
}
