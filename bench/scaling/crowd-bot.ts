import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../../src/core/clock.ts';
import { createCore } from '../../src/core/core.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { createSmsClient } from '../../src/sms/client.ts';
import { aNumber, aPerson, TEXT } from '../../test/helpers/core-people.ts';
import { limitsFor } from '../core.ts';
import { BASE_URL, placeOf } from './population.ts';

/** A bot's task, and for how long. */
export interface CrowdTask {
  instances: number;
  redisUrl: string;
  smsUrl: string;
  key: string;
  folder: string;
  pollMs: number;
  /** How many times too fast the bot's wall clock goes, so that a check soon is a minute old. */
  wallSpeed: number;
  /** How many single texts people confirm in a second. */
  textsPerSecond: number;
  /** How long Slack takes for a message, in ms. */
  slackMs: number;
  windowMs: number;
}

/** A bot's result. */
export interface CrowdReport {
  seconds: number;
  /** Balance polls, and how many a second while some were due. */
  polls: number;
  pollsPerSecond: number;
  /** How many texts were due, and how many of them were sent. */
  due: number;
  sent: number;
  /** For each sent text, the time from Send to the answer in the ledger, in ms. */
  waits: number[];
  /** How often something was refused or failed, by its name. */
  troubles: { [what: string]: number };
  /** How long the oldest message to Slack had been due at the end, in ms. */
  outboxLagMs: number;
}

const [task] = (await once(process, 'message')) as [CrowdTask];
const limits = limitsFor(60_000);
const store = await openRedisStore({
  url: task.redisUrl,
  allowVolatile: false,
  limits,
  dataDir: task.folder,
  encryptionKeys: [Buffer.from(task.key, 'base64')],
  onDamaged(error) {
    throw error;
  },
});
const polls: number[] = [];
const ledger: typeof store.ledger = {
  ...store.ledger,
  async firstTime(key, ttlMs) {
    const isFirst = await store.ledger.firstTime(key, ttlMs);
    if (isFirst && key.startsWith('poll:')) polls.push(performance.now());
    return isFirst;
  },
};
const begun = Date.now();
const confirmed = new Map<string, number>();
let waits: number[] = [];
let troubles: { [what: string]: number } = {};
const trouble = (what: string) => {
  troubles[what] = (troubles[what] ?? 0) + 1;
};

const core = createCore({
  ledger,
  records: store.records,
  cipher: store.cipher,
  onReconnect: store.onReconnect,
  isOtherServer: store.isOtherServer,
  renewMark: store.renewMark,
  sameServerForMs: store.sameServerForMs,
  fingerprintSecret: await store.records.fingerprintSecret(),
  sms: createSmsClient({ baseUrl: task.smsUrl, timeoutMs: limits.timeoutMs }),
  baseUrl: BASE_URL,
  limits,
  draftTtlMs: 900_000,
  listUndoMs: 0,
  bulk: { chunkSize: 100, mostCharacters: 1000, minRecipients: 51 },
  bulkRefusals: 'unproven',
  balancePollMs: task.pollMs,
  repeatGuardMs: 0,
  retention: { days: 90, lookupDays: 400 },
  scrub: store.scrub,
  admins: [],
  clock: { ...systemClock, wall: () => begun + (Date.now() - begun) * task.wallSpeed },
  log: pino({ level: 'silent' }),
  onSettled({ send }, settlement) {
    const at = confirmed.get(send);
    confirmed.delete(send);
    if (settlement.to !== 'sent') trouble(`a text became ${settlement.to}`);
    else if (at !== undefined) waits.push(performance.now() - at);
  },
});
core.start(async () => {
  await sleep(task.slackMs);
  return { kind: 'posted', posted: null };
});
process.send?.('ready');
for (;;) {
  await once(process, 'message');
  process.send?.(await live());
}

async function live(): Promise<CrowdReport> {
  const begun = performance.now();
  const over = begun + task.windowMs;
  polls.length = 0;
  waits = [];
  troubles = {};
  const due = await sendTexts(over);
  await sleep(Math.max(0, over - performance.now()));
  const { outboxSince } = await store.ledger.backlog();
  const spread = ((polls.at(-1) ?? 0) - (polls[0] ?? 0)) / 1000;
  return {
    seconds: (performance.now() - begun) / 1000,
    polls: polls.length,
    pollsPerSecond: spread > 0 ? (polls.length - 1) / spread : 0,
    due,
    sent: waits.length,
    waits,
    troubles,
    outboxLagMs: outboxSince === undefined ? 0 : Math.max(0, store.ledger.now() - outboxSince),
  };
}

/** Sends at an even pace until then, even if earlier texts still wait. Resolves to how many were due. */
async function sendTexts(over: number): Promise<number> {
  if (task.textsPerSecond === 0) return 0;
  const everyMs = 1000 / task.textsPerSecond;
  const begun = performance.now();
  let due = 0;
  while (performance.now() < over) {
    due += 1;
    void sendOne(placeOf(Math.floor(Math.random() * task.instances))).catch((error: unknown) =>
      trouble(error instanceof Error ? error.name : 'error'),
    );
    await sleep(Math.max(0, begun + due * everyMs - performance.now()));
  }
  return due;
}

async function sendOne({ team, channel }: { team: string; channel: string }): Promise<void> {
  const person = aPerson({ team });
  const draft = await core.sends.draft({ channel, person, number: aNumber(), text: TEXT, reply: {} });
  if (draft.kind !== 'draft') return trouble(`no draft: ${draft.kind}`);
  const { id } = draft.view;
  confirmed.set(id, performance.now());
  const { kind } = await core.sends.confirm(id, person, {});
  if (kind !== 'running') trouble(`not confirmed: ${kind}`);
}
