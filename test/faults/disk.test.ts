import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { BREAKER_MAX_LIMIT } from '../../src/ledger/model/breaker.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { link } from '../helpers/world-steps.ts';
import {
  arrivalsOf,
  beginJob,
  checkResults,
  type FaultJob,
  finishJob,
  textRequests,
} from './helpers/fault-jobs.ts';
import { endsOf, type Load, startLoad } from './helpers/fault-load.ts';
import { type FaultRun, testFault } from './helpers/faults.ts';
import { createFullDisk, createReadOnlyDisk } from './helpers/small-disk.ts';

const CHUNK = 3;
const ANSWERS_MS = 500;
/** A request may begin until a second after its intent, and may need another second to arrive. */
const STILL_LEAVES_MS = 2000;
const RESUMES_MS = 15_000;
const WORKED = /credits|\[Send\]|\*(Sending|Sent|Unknown)\*/;
const BROKEN = /its own database.*not finished.*reference `\w+`/s;

/** A fault of the store, and the words that tell of it. */
interface Trouble {
  name: string;
  /** The words of /readyz about the store. */
  ready: RegExp;
  /** The one sentence that a start prints. */
  refusal: RegExp;
  make(): Promise<Troubled> | Troubled;
}

interface Troubled {
  folder: string;
  how: string;
  startLimits: { largestFileKb?: number };
  fail(): Promise<void> | void;
  mend(): Promise<void> | void;
  close(): void;
}

const UNUSABLE = 'DATA_DIR must be a local folder that the bot can write to';
const TROUBLES: Trouble[] = [
  {
    name: 'full',
    ready: /^it can't be written \((database or disk is full|disk I\/O error)\)$/,
    refusal: new RegExp(`^.*can't be used \\(.*(full|space left|I/O).*\\): ${UNUSABLE}.*$`),
    make: createFullDisk,
  },
  {
    name: 'read-only',
    ready:
      /^it can't be written \((attempt to write a readonly database|disk I\/O error|unable to open.*)\)$/,
    refusal: new RegExp(`^.*can't be used \\(.*(readonly|open|I/O|space left).*\\): ${UNUSABLE}.*$`),
    make: createReadOnlyDisk,
  },
  {
    name: 'locked',
    ready: /^it can't be written \(database is locked\)$/,
    refusal: /^.*can't be used, since another program holds its lock: end that program, .*$/,
    make: createLockable,
  },
];

testFault(
  {
    what: 'The disk runs full, turns read-only, another program locks the database: under a job and texts, and at a start',
    mustHold:
      'nothing leaves that is not written down; people, /readyz and a start say what is wrong; work resumes by itself; nobody texted twice, one outcome each',
    runs: { short: 1, long: 20 },
  },
  async (run) => {
    // Each trouble has its own bot, and the bots wait most of the time.
    const all = await Promise.all(
      TROUBLES.map((trouble, kind) => tryOut(trouble, createDice(71 + kind), run)),
    );
    run.saw({
      ...Object.fromEntries(all.map(({ name, how }) => [name, how])),
      'unknown recipients': sumOf(all, 'unknown'),
      'presses on Resume': sumOf(all, 'resumes'),
      'answers that it went wrong': sumOf(all, 'apologies'),
      'slowest acknowledgement, ms': Math.round(Math.max(...all.map(({ slowestAckMs }) => slowestAckMs))),
      'longest until all work went on, ms': Math.round(Math.max(...all.map(({ slowestMs }) => slowestMs))),
    });
  },
);

type Seen = { [figure in 'unknown' | 'resumes' | 'apologies' | 'slowestAckMs' | 'slowestMs']: number };

function sumOf(all: Seen[], figure: keyof Seen): number {
  return all.reduce((sum, seen) => sum + seen[figure], 0);
}

/** A bot meets the same trouble again and again, for its share of the runs: while it runs, and at its start. */
async function tryOut(
  trouble: Trouble,
  dice: Dice,
  run: FaultRun,
): Promise<Seen & { name: string; how: string }> {
  const troubled = await trouble.make();
  onTestFinished(() => troubled.close());
  const world = await newWorld(troubled.folder);
  const seen: Seen = { unknown: 0, resumes: 0, apologies: 0, slowestAckMs: 0, slowestMs: 0 };
  const times = Math.ceil(run.runs / TROUBLES.length);
  for (let at = 1; at <= times; at += 1) {
    await whileItRuns(world, trouble, troubled, { run, dice, name: `Job ${at}`, seen });
    await atStart(world, trouble, troubled, { run, dice, name: `Job ${at}, cut`, seen });
  }
  expect(world.slack.failures).toEqual([]);
  await world.close();
  return { ...seen, name: trouble.name, how: troubled.how };
}

interface Incident {
  run: FaultRun;
  dice: Dice;
  name: string;
  seen: Seen;
}

async function newWorld(folder: string): Promise<World> {
  const world = await createWorld({
    sandbox: { switches: { rateLimit: 10_000, rateWindowMs: 1000 } },
    env: {
      DATA_DIR: folder,
      SMS_RATE_LIMIT: '10000',
      SMS_RATE_WINDOW_MS: '1000',
      SMS_TIMEOUT_MS: '5000',
      SMS_ATTEMPT_LEASE_MS: '8000',
      BULK_CHUNK_SIZE: String(CHUNK),
    },
  });
  onTestFinished(() => world.close());
  world.service.setCredits(1, 1_000_000);
  world.service.addFault({
    kind: 'delay',
    endpoint: 'bulk',
    ms: ANSWERS_MS,
    when: 'before',
    times: 'always',
  });
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  return world;
}

/** The store fails while a job runs and people send texts. Then it is mended. */
async function whileItRuns(
  world: World,
  { ready }: Trouble,
  troubled: Troubled,
  { run, dice, name, seen }: Incident,
): Promise<void> {
  const job = await begun(world, name, run);
  const load = startLoad(world, name);
  await sleep(between(dice, 0, run.isLong ? 1500 : 300));
  await troubled.fail();
  const since = performance.now();
  await expect
    .poll(() => readiness(world))
    .toMatchObject({ status: 503, body: { ready: false, store: expect.stringMatching(ready), slack: 'ok' } });
  expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
  await sleep(STILL_LEAVES_MS);
  const left = textRequests(world).length;
  await sleep(between(dice, 500, run.isLong ? 2500 : 600));
  expect(textRequests(world)).toHaveLength(left);
  await expect.poll(() => load.answers.some(({ at, text }) => at > since && BROKEN.test(text))).toBe(true);

  await troubled.mend();
  const mended = performance.now();
  await expect.poll(() => readiness(world), { timeout: RESUMES_MS }).toMatchObject({ status: 200 });
  await expect.poll(() => textRequests(world).length, { timeout: RESUMES_MS }).toBeGreaterThan(left);
  seen.slowestMs = Math.max(seen.slowestMs, performance.now() - mended);
  await load.stop();
  expect(load.wrong, troubled.how).toEqual([]);
  for (const { text } of load.answers) expect(text).toMatch(BROKEN.test(text) ? BROKEN : WORKED);
  await finished(world, job, seen);
  await checkClicks(world, load);
  seen.slowestAckMs = Math.max(seen.slowestAckMs, load.slowestAckMs);
  seen.apologies += load.answers.filter(({ text }) => BROKEN.test(text)).length;
}

/** The bot dies during a job. When it starts again, it can't write to the store. */
async function atStart(
  world: World,
  { refusal }: Trouble,
  troubled: Troubled,
  { run, dice, name, seen }: Incident,
): Promise<void> {
  const job = await begun(world, name, run);
  await sleep(between(dice, 0, 700));
  await world.kill();
  await sleep(ANSWERS_MS);
  await troubled.fail();
  const left = textRequests(world).length;
  const refused = await world.runMain({}, troubled.startLimits);
  expect(refused.stderr.trim().split('\n'), refused.stderr).toHaveLength(1);
  expect(refused.stderr.trim()).toMatch(refusal);
  expect(refused.code).toBe(1);
  expect(textRequests(world)).toHaveLength(left);
  await troubled.mend();
  await world.start();
  await finished(world, job, seen);
}

async function begun(world: World, name: string, { isLong }: FaultRun): Promise<FaultJob> {
  const before = textRequests(world).length;
  const job = await beginJob(world, name, isLong ? 150 : 60);
  await expect.poll(() => textRequests(world).length).toBeGreaterThan(before);
  return job;
}

async function finished(world: World, job: FaultJob, seen: Incident['seen']): Promise<void> {
  seen.resumes += await finishJob(world);
  const unknown = await checkResults(world, job);
  expect(unknown).toBeLessThanOrEqual(BREAKER_MAX_LIMIT * CHUNK);
  seen.unknown += unknown;
}

async function checkClicks(world: World, load: Load): Promise<void> {
  const ends = await endsOf(world, load);
  for (const [at, { digits, text }] of load.clicked.entries()) {
    const times = arrivalsOf(world, text).get(digits) ?? 0;
    const most = { sent: [1], unknown: [0, 1], 'not sent': [0], draft: [0] }[ends[at] ?? 'draft'];
    expect(most, `“${text}” is ${ends[at]} and arrived ${times} times`).toContain(times);
  }
}

async function readiness({ url }: World): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

/** A database that another program locks. */
function createLockable(): Troubled {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-locked-'));
  let holder: ChildProcess | undefined;
  async function mend(): Promise<void> {
    if (!holder) return;
    const over = once(holder, 'exit');
    holder.stdin?.end();
    await over;
    holder = undefined;
  }
  return {
    folder,
    how: 'BEGIN EXCLUSIVE',
    startLimits: {},
    async fail() {
      const script = join(import.meta.dirname, './helpers/store-holder.ts');
      holder = spawn(process.execPath, [script, join(folder, 'switchboard.db')], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const held = once(holder.stdout as NonNullable<typeof holder.stdout>, 'data');
      const over = once(holder, 'exit').then(() => Promise.reject(new Error('the database was not locked')));
      await Promise.race([held, over]);
      over.catch(() => undefined);
    },
    mend,
    close() {
      holder?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
