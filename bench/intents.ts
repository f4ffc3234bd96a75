import { randomUUID } from 'node:crypto';
import type { Ledger } from '../src/ledger/ledger.ts';
import type { Settlement } from '../src/ledger/model/attempt-types.ts';
import type { NewSend } from '../src/ledger/model/decision-types.ts';
import type { LedgerLimits } from '../src/ledger/model/ledger-limits.ts';
import { type Figure, inMs, median, ratioOf } from './figures.ts';
import { RUNS } from './interleaved.ts';

/** How many sends a run has. */
export const SENDS = 300;
const WARM_UP_SENDS = 100;

/** How many sends share a key: as many permits as a key has in a real minute. */
const SENDS_PER_KEY = 60;

/** Permits enough for any section. */
export const LIMITS: LedgerLimits = { permits: 10_000, windowMs: 100, leaseMs: 30_000, timeoutMs: 15_000 };

export const SENT: Settlement = {
  to: 'sent',
  request: 'answered',
  receipt: { creditsUsed: 1, creditsRemaining: 1_000_000 },
  result: { messageIds: [7] },
};

/**
 * Takes and settles single sends, each beside one raw write, and compares the medians of the runs. `atMost`: how many
 * times the raw write's time a step may take.
 */
export async function compareIntents(
  engine: string,
  ledger: Ledger,
  { writeRaw, atMost }: { writeRaw: () => Promise<void>; atMost: number },
): Promise<Figure[]> {
  const runs = { raw: [] as number[], take: [] as number[], settle: [] as number[] };
  await measure(ledger, writeRaw, WARM_UP_SENDS);
  for (let run = 0; run < RUNS; run += 1) {
    const took = await measure(ledger, writeRaw, SENDS);
    for (const step of ['raw', 'take', 'settle'] as const) runs[step].push(median(took[step]));
  }
  const against = { theirs: runs.raw, shown: inMs, target: { atMost } };
  return [
    ratioOf(`${engine}: intent`, { ours: runs.take, ...against }),
    ratioOf(`${engine}: settle`, { ours: runs.settle, ...against }),
  ];
}

let sent = 0;

async function measure(ledger: Ledger, writeRaw: () => Promise<void>, sends: number) {
  const took = { raw: [] as number[], take: [] as number[], settle: [] as number[] };
  for (let count = 0; count < sends; count += 1) {
    const send = aSend();
    sent += 1;
    await ledger.draft(send);
    await ledger.decide(send.id, { to: 'running', by: 'U1' });
    took.raw.push((await timed(writeRaw)).ms);
    const token = randomUUID();
    const request = {
      instance: 'i1',
      rateLimitKey: `k${Math.floor(sent / SENDS_PER_KEY)}`,
      account: 'a1',
      priority: 'interactive',
      token,
    } as const;
    const taken = await timed(() => ledger.take(request));
    if (taken.answer.kind !== 'taken') throw new Error(`nothing was taken: ${taken.answer.kind}`);
    took.take.push(taken.ms);
    const settled = await timed(() => ledger.settle({ send: send.id, index: 0 }, token, SENT));
    if (!settled.answer.settled) throw new Error('the attempt was not settled');
    took.settle.push(settled.ms);
  }
  return took;
}

export async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const begun = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - begun };
}

/** A send as `/sms send` writes it: the step that ends it also announces its end. */
export function aSend(): NewSend {
  return {
    id: randomUUID(),
    team: 'T1',
    channelId: 'C1',
    instance: 'i1',
    kind: 'single',
    details: { by: 'U1' },
    topics: ['receipt'],
    expiresInMs: 900_000,
    chunks: [[{ phone: '442079460958', text: 'Your parcel is ready.' }]],
  };
}
