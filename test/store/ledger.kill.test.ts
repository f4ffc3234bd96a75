import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LedgerMessage, NewSend } from '../../src/store/ledger.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { type ChildPlan, MOMENTS, type Moment } from '../helpers/ledger-child.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { aJob, aSingle } from '../helpers/ledger-fixtures.ts';

const CHILD = fileURLToPath(new URL('../helpers/ledger-child.ts', import.meta.url));

/** Counts what arrives: texts by number, Slack messages by row. Answers after some milliseconds of its own. */
async function startCounter(onText: () => void = () => {}) {
  const texts = new Map<string, number>();
  const posts = new Map<string, number>();
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  const server = createServer((request, response) => {
    const url = new URL(request.url as string, 'http://counter');
    for (const phone of url.searchParams.get('phones')?.split(',') ?? []) count(texts, phone);
    if (url.pathname === '/post') count(posts, url.searchParams.get('id') as string);
    else onText();
    setTimeout(() => response.writeHead(201).end(), (texts.size * 7) % 12);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, texts, posts };
}

/** Three single sends and a job of five chunks, one of which is split and two parted, each with its receipt. */
function someSends(): NewSend[] {
  return [
    aSingle('s1', { topics: ['receipt'] }),
    aSingle('s2', { topics: ['receipt'] }),
    aJob('j1', [2, 1, 4, 1, 3], { topics: ['card'] }),
    aSingle('s3', { topics: ['receipt'] }),
  ];
}

type Boot = Pick<ChildPlan, 'kill'> & { whileRunning?: (child: ChildProcess) => void };

async function startBot(plan: ChildPlan, boot: Boot) {
  const file = join(plan.dataDir, 'plan.json');
  writeFileSync(file, JSON.stringify({ ...plan, ...(boot.kill ? { kill: boot.kill } : {}) }));
  const child = spawn(process.execPath, [CHILD, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  boot.whileRunning?.(child);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, output, complaints };
}

/** The numbers that are in flight by the file, as the dead left it. */
function inFlightNow(dataDir: string): string[] {
  const db = openDatabase(dataDir);
  try {
    return db
      .sql("SELECT messages FROM chunks JOIN chunk_messages USING (send, idx) WHERE state = 'sending'")
      .all()
      .flatMap(phonesOf);
  } finally {
    db.close();
  }
}

function phonesOf(row: { messages?: unknown }): string[] {
  return (JSON.parse(String(row.messages)) as LedgerMessage[]).map(({ phone }) => phone);
}

/** Runs the boots one after the other, then one that nobody kills, and holds the outcome to the promise. */
async function expectPromiseKept(boots: Boot[], counter: Awaited<ReturnType<typeof startCounter>>) {
  const dataDir = tempFolder();
  const sends = someSends();
  const plan: ChildPlan = { dataDir, port: counter.port, sends };
  const lost = new Set<string>();
  let kills = 0;
  for (const boot of [...boots, {}]) {
    const { code, signal, output, complaints } = await startBot(plan, boot);
    expect(complaints).toBe('');
    if (output) expect(output).toBe('{"sendingAfterStart":0}\n');
    if (signal) kills += 1;
    else expect(code).toBe(0);
    for (const phone of inFlightNow(dataDir)) lost.add(phone);
  }

  const db = openDatabase(dataDir);
  onTestFinished(() => db.close());
  const outcomes = new Map<string, string>();
  const held = "SELECT * FROM chunks JOIN chunk_messages USING (send, idx) WHERE state <> 'split'";
  for (const row of db.sql(held).all()) {
    for (const phone of phonesOf(row)) {
      expect(outcomes.has(phone)).toBe(false);
      outcomes.set(phone, String(row.state));
    }
  }
  const phones = sends.flatMap((send) => send.chunks.flat().map(({ phone }) => phone));
  expect([...outcomes.keys()].sort()).toEqual(phones.sort());
  for (const phone of phones) {
    const arrived = counter.texts.get(phone) ?? 0;
    const outcome = outcomes.get(phone);
    // A single send that a very busy machine held up for ten seconds is given up.
    expect(['sent', 'unknown', 'not_sent']).toContain(outcome);
    if (outcome === 'sent') expect(arrived).toBe(1);
    if (outcome === 'not_sent') expect(arrived).toBe(0);
    expect(arrived).toBeLessThanOrEqual(1);
  }
  // The server answers everything: unknown is what was in flight when a boot died, and all of that.
  expect(phones.filter((phone) => outcomes.get(phone) === 'unknown')).toEqual([...lost].sort());
  const charged = db.sql('SELECT total(credits_used) AS credits FROM chunks').get();
  expect(charged?.credits).toBe(phones.filter((phone) => outcomes.get(phone) === 'sent').length);
  for (const send of sends) {
    const posts = counter.posts.get(`${send.topics[0]}:${send.id}`) ?? 0;
    expect(posts).toBeGreaterThanOrEqual(1);
    expect(posts).toBeLessThanOrEqual(1 + kills);
  }
  return { kills };
}

/** Which time a moment is struck, where it is not each of the first three. A start alone writes nine times. */
const TIMES: { [at in Moment]?: number[] } = {
  'before take over': [1],
  'after take over': [1],
  'before a write': [4, 11, 13, 16, 21, 25, 33, 42, 51, 60, 72, 85, 97, 110, 124],
};

describe('kill -9', { timeout: 120_000 }, () => {
  test.each(MOMENTS)('%s', async (at) => {
    const times = TIMES[at] ?? [1, 2, 3];
    await Promise.all(
      times.map(async (nth) => {
        // A second death at another moment, so that the recovery is interrupted too.
        const second = MOMENTS[(MOMENTS.indexOf(at) + nth * 5) % MOMENTS.length] as Moment;
        const boots = [{ kill: { at, nth } }, { kill: { at: second, nth: 1 } }];
        const { kills } = await expectPromiseKept(boots, await startCounter());
        expect(kills).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test.each([1, 2, 3, 5, 8])('while the service has request %i and has not answered', async (nth) => {
    let arrived = 0;
    let bot: ChildProcess | undefined;
    const counter = await startCounter(() => {
      arrived += 1;
      if (arrived === nth) bot?.kill('SIGKILL');
    });
    const { kills } = await expectPromiseKept(
      [
        {
          whileRunning: (child) => {
            bot = child;
          },
        },
      ],
      counter,
    );
    expect(kills).toBe(1);
  });

  test('again and again, some time after each start', async () => {
    await Promise.all(
      [150, 200, 250, 300, 400].map(async (ms) => {
        const soon: Boot = {
          whileRunning: (child) => {
            const timer = setTimeout(() => child.kill('SIGKILL'), ms);
            child.once('exit', () => clearTimeout(timer));
          },
        };
        await expectPromiseKept([soon, soon, soon, soon], await startCounter());
      }),
    );
  });
});
