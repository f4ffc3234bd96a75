import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { Audience, Ledger, LedgerMessage, NewSend, Settlement } from '../../src/store/ledger.ts';
import { createSqliteLedger } from '../../src/store/sqlite/ledger.ts';
import { lockDataDir } from '../../src/store/sqlite/lock.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';

/** The moments at which a child can be killed: between two steps, and within one. */
export const MOMENTS = [
  'before draft',
  'after draft',
  'after decide',
  'after take',
  'request written',
  'after answer',
  'after settle',
  'after takeDue',
  'after post',
  'after markPosted',
  'before take over',
  'after take over',
  'before a write',
] as const;
export type Moment = (typeof MOMENTS)[number];

/** What a child is told: a JSON file whose path is its only argument. */
export interface ChildPlan {
  dataDir: string;
  /** A loopback server that takes texts at /send and Slack messages at /post. */
  port: number;
  sends: NewSend[];
  /** It kills itself with SIGKILL when it comes to this moment for the nth time. */
  kill?: { at: Moment; nth: number };
}

if (import.meta.main) await run(JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as ChildPlan);

/** A bot reduced to its ledger: drafts, confirms, sends and reports all of the plan, from wherever it stands. */
async function run(plan: ChildPlan): Promise<void> {
  const moment = killer(plan.kill);
  lockDataDir(plan.dataDir);
  const db = beforeWrites(openDatabase(plan.dataDir), () => moment('before a write'));
  const limits = { permits: 1000, windowMs: 60_000, leaseMs: 30_000, timeoutMs: 15_000 };
  const ledger = createSqliteLedger(db, limits);
  moment('before take over');
  ledger.takeOver();
  moment('after take over');
  const left = db.raw.prepare("SELECT count(*) AS n FROM chunks WHERE state = 'sending'").get();
  process.stdout.write(`${JSON.stringify({ sendingAfterStart: left?.n })}\n`);

  for (const send of plan.sends) {
    const stands = await ledger.find(send.id);
    if (!stands) {
      moment('before draft');
      await ledger.draft(send);
      moment('after draft');
    }
    const decided = await ledger.decide(send.id, { to: 'running', by: 'U1' });
    if (decided.won) moment('after decide');
  }
  const lanes: Audience[] = ['interactive', 'interactive', 'background', 'background', 'background'];
  await Promise.all([
    ...lanes.map((audience) => work(ledger, audience, plan, moment)),
    post(ledger, plan, moment),
  ]);
  process.exit(0);
}

/** The same database, which says so before every write: also within a step, between one write and the next. */
function beforeWrites(db: Database, tell: () => void): Database {
  const told = new Set<string>();
  return {
    ...db,
    sql(text) {
      const statement = db.sql(text);
      if (told.has(text)) return statement;
      told.add(text);
      const write = statement.run.bind(statement) as typeof statement.run;
      statement.run = ((...values: Parameters<typeof write>) => {
        tell();
        return write(...values);
      }) as typeof statement.run;
      return statement;
    },
  };
}

function killer(kill: ChildPlan['kill']): (moment: Moment) => void {
  let count = 0;
  return (moment) => {
    if (moment !== kill?.at) return;
    count += 1;
    if (count === kill.nth) process.kill(process.pid, 'SIGKILL');
  };
}

async function allEnded(ledger: Ledger, plan: ChildPlan): Promise<boolean> {
  for (const { id } of plan.sends) {
    if ((await ledger.find(id))?.state !== 'finished') return false;
  }
  return true;
}

async function work(
  ledger: Ledger,
  audience: Audience,
  plan: ChildPlan,
  moment: (moment: Moment) => void,
): Promise<void> {
  while (!(await allEnded(ledger, plan))) {
    const token = crypto.randomUUID();
    const next = await ledger.take({ instance: 'i1', lane: 'k1', account: 'a1', audience, token });
    if (next.kind !== 'taken') {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    moment('after take');
    const { chunk } = next;
    const settlement = await dispatch(plan.port, chunk.messages, () => moment('request written'));
    moment('after answer');
    await ledger.settle({ send: chunk.send, index: chunk.index }, token, settlement);
    moment('after settle');
  }
}

/** Of four messages the service refuses all, as if one of them were bad; of three it calls the first one queued. */
async function dispatch(port: number, list: LedgerMessage[], written: () => void): Promise<Settlement> {
  const request = 'answered';
  if (list.length === 4) {
    const children = [list.slice(0, 3), list.slice(3)];
    return {
      to: 'split',
      request,
      children,
      mostRequests: 40,
      otherwise: { to: 'rejected', request, result: null },
    };
  }
  try {
    await call(port, `/send?phones=${list.map(({ phone }) => phone).join(',')}`, written);
    const receipt = { creditsUsed: list.length, creditsRemaining: 0 };
    if (list.length !== 3) return { to: 'sent', request, receipt, result: null };
    const [first, ...rest] = list as [LedgerMessage, ...LedgerMessage[]];
    const part = { state: 'sent', result: null } as const;
    const parts = [
      { ...part, messages: [first], otherStatus: 'queued' },
      { ...part, messages: rest },
    ];
    return { to: 'parted', request, receipt, parts };
  } catch {
    return { to: 'unknown', request: 'unanswered', result: null };
  }
}

async function post(ledger: Ledger, plan: ChildPlan, moment: (moment: Moment) => void): Promise<void> {
  for (;;) {
    const token = crypto.randomUUID();
    const row = await ledger.takeDue(token, 10_000);
    if (row) {
      moment('after takeDue');
      await call(plan.port, `/post?id=${row.id}`, () => {});
      moment('after post');
      await ledger.markPosted(row.id, token, { ts: '1' });
      moment('after markPosted');
    } else if (await allEnded(ledger, plan)) {
      return;
    } else {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function call(port: number, path: string, written: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', resolve);
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.on('finish', written);
    request.end();
  });
}
