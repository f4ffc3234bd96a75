import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SentMessage } from 'credit-sandbox';
import { describe, onTestFinished } from 'vitest';
import { between, createDice } from '../helpers/dice.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { START_BUNDLED } from '../helpers/start-command.ts';
import { createWorld } from '../helpers/world.ts';
import { link } from '../helpers/world-steps.ts';
import { expectTrueOutcomes, outcomesOf } from './helpers/expect-true-outcomes.ts';
import { type FaultRun, testFault } from './helpers/faults.ts';
import { readLedger, untilWorkIsOver } from './helpers/read-ledger.ts';
import { createSurePeople } from './helpers/sure-people.ts';
import { createTracedDisk, readTrace, type TraceEvent, traced, withoutTrace } from './helpers/traced-disk.ts';

const DEEDS = 40;
const CREDITS = 100_000;
/** How long the tracer needs to write down the last events, in ms. */
const TRACED_WITHIN_MS = 1000;

type SentText = Pick<SentMessage, 'phone' | 'text'>;

describe('a power cut', () => {
  testFault(
    {
      what: 'the power is cut, so that the disk has what was synced, and any sectors of the rest: SQLite',
      mustHold:
        'each request that left is on the disk, as is each receipt; the bot starts; sent arrived once, unknown at most once, all else never; the ledger is whole',
      runs: { short: 2, long: 60 },
      minutes: 60,
      skip: withoutTrace,
    },
    cutPower,
  );
});

async function cutPower({ runs, isLong, saw }: FaultRun): Promise<void> {
  const seed = isLong ? Math.floor(Math.random() * 2 ** 32) : 7;
  const dice = createDice(seed);
  const scratch = mkdtempSync(join(tmpdir(), 'switchboard-power-'));
  const trace = join(scratch, 'trace');
  const world = await createWorld({
    bot: traced(START_BUNDLED, trace),
    sandbox: { switches: { rateLimit: 100_000, refusedPhones: [] } },
    env: {
      SMS_RATE_LIMIT: '10000',
      SMS_TIMEOUT_MS: '600',
      SMS_ATTEMPT_LEASE_MS: '1100',
      BULK_CHUNK_SIZE: '3',
    },
  });
  onTestFinished(async () => {
    await world.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const { service, dataDir } = world;
  service.setCredits(1, CREDITS);
  await world.start();
  await link(world);
  const people = createSurePeople(world, dice);
  for (let deed = 0; deed < DEEDS; deed += 1) await people.doSomething();
  await world.kill();
  await sleep(TRACED_WITHIN_MS);
  const events = [...readTrace(trace)];
  const toService = (event: TraceEvent) => textsIn(event, new URL(service.url).host);
  const requests = events.filter((event) => toService(event).length > 0);
  const receipts = events.filter((event) => toldAsSent(event) !== undefined);
  assert(requests.length > 0 && receipts.length > 0, 'the trace shows no request, or no receipt');
  const first = events.indexOf(requests[0] as TraceEvent);

  // Whatever left, or was told to a person, was on the disk before.
  const disk = createTracedDisk();
  const image = join(scratch, 'image');
  for (const event of events) {
    const texts = toService(event);
    const words = toldAsSent(event);
    if (texts.length > 0 || words !== undefined) disk.writeAfterCut(dataDir, image, dice);
    if (texts.length > 0) expectOnTheirWay(image, texts);
    if (words !== undefined) expectSent(image, words);
    disk.apply(event);
  }

  // A bot starts on what is left.
  for (let run = 0; run < runs; run += 1) {
    const before = events.slice(0, Math.floor(between(dice, first, events.length)));
    const arrived = before.flatMap(toService);
    const left = createTracedDisk();
    for (const event of before) left.apply(event);
    await world.kill();
    left.writeAfterCut(dataDir, dataDir, dice);
    service.setCredits(1, CREDITS - arrived.length);
    const later = service.messages.length;
    await world.start();
    await untilWorkIsOver(() => readLedger(dataDir));
    await world.stop();
    const ledger = readLedger(dataDir);
    expectTrueOutcomes(ledger, [...arrived, ...service.messages.slice(later)]);
    expectWhole(ledger);
  }
  saw({ requests: requests.length, receipts: receipts.length, 'writes and syncs': events.length });
}

/** The texts of a request to this host. */
function textsIn(event: TraceEvent, host: string): SentText[] {
  if (event.kind !== 'send' || event.to !== host) return [];
  const [head = '', body = ''] = event.bytes.toString().split('\r\n\r\n');
  if (!head.startsWith('POST ')) return [];
  const asked = JSON.parse(body) as { messages?: RawText[] } & RawText;
  return (asked.messages ?? [asked]).map(({ phone, message }) => ({ phone, text: message }));
}

/** The words of a text whose receipt says that it was sent. */
function toldAsSent(event: TraceEvent): string | undefined {
  const said = event.kind === 'send' ? event.bytes.toString() : '';
  if (!said.startsWith('POST ') || !said.includes('✅ *Sent*')) return undefined;
  return /Sure of \w+, \d+\./.exec(said)?.[0];
}

interface RawText {
  phone: string;
  message: string;
}

function expectOnTheirWay(folder: string, texts: SentText[]): void {
  const known = outcomesOf(readLedger(folder)).filter(({ state }) => state === 'sending');
  for (const { phone, text } of texts) {
    const isKnown = known.some((one) => one.phone === phone && one.text === text);
    assert(isKnown, `“${text}” left for ${phone}, and the disk does not know`);
  }
}

function expectSent(folder: string, words: string): void {
  const known = outcomesOf(readLedger(folder)).some(({ state, text }) => state === 'sent' && text === words);
  assert(known, `“${words}” was told as sent, and the disk does not know`);
}
