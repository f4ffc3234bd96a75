import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox, type Sandbox, type SandboxOptions } from 'credit-sandbox';
import { type Logger, pino } from 'pino';
import type { Books } from '../../src/core/accounts/books.ts';
import type { SpendingLimits } from '../../src/core/accounts/channel-limits.ts';
import { createInstances, type Instance, type Instances } from '../../src/core/accounts/instances.ts';
import { createLinks, type Link, type LinkSettings, type Links } from '../../src/core/accounts/links.ts';
import type { RefusalMode } from '../../src/core/accounts/list-refusals.ts';
import { type Core, createCore } from '../../src/core/core.ts';
import type { RetentionLimits } from '../../src/core/history/keep-days.ts';
import type { BulkLimits } from '../../src/core/jobs/job-drafts.ts';
import type { Delivery } from '../../src/core/post-or-retry.ts';
import type { SendView } from '../../src/core/sends/send-view.ts';
import { TOPICS } from '../../src/core/topics.ts';
import type { OpenStore } from '../../src/data/data.ts';
import { sqliteScrub } from '../../src/data/embedded.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Json } from '../../src/ledger/model/json.ts';
import type { LedgerLimits } from '../../src/ledger/model/ledger-limits.ts';
import type { OutboxRow } from '../../src/ledger/outbox/outbox-types.ts';
import { type Cipher, createCipher } from '../../src/records/encryption.ts';
import { createRecords, type Records } from '../../src/records/records.ts';
import { createSqliteRecords } from '../../src/records/sqlite/record-store.ts';
import { ApiKey } from '../../src/sms/api-key.ts';
import { createSmsClient, type SmsClient } from '../../src/sms/client.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { Engine } from '../../src/store/store.ts';
import { type LedgerTap, tapLedger } from './core-ledger.ts';
import { ADMIN, settings } from './core-people.ts';
import { createTime, type TestTime } from './core-time.ts';
import { whenOver } from './side-by-side.ts';

export const ACME_KEY = 'acme-key-1111-aaaa';
/** The key of another instance of the same account. */
export const ACME_KEY_TOO = 'acme-key-2222-bbbb';
/** The key of another account's instance. */
export const BIRCH_KEY = 'birch-key-3333-cccc';
export const ACME = 1;
const BIRCH = 2;

const SEED = {
  accounts: [
    { user_id: ACME, user_name: 'Acme Ltd', credits: 1000 },
    { user_id: BIRCH, user_name: 'Birch & Co', credits: 3 },
  ],
  instances: [
    { name: 'Acme', key: ACME_KEY, user_id: ACME },
    { name: 'Acme too', key: ACME_KEY_TOO, user_id: ACME },
    { name: 'Birch', key: BIRCH_KEY, user_id: BIRCH },
  ],
};

/** The base URL in the names of accounts, whatever the sandbox's port. */
export const BASE_URL = 'https://service.example/api/v1';
const BULK: BulkLimits = { chunkSize: 100, mostCharacters: 1000, minRecipients: 51 };
/** A busy machine may be late by seconds. */
const LIMITS: LedgerLimits = { permits: 60, windowMs: 60_000, leaseMs: 9000, timeoutMs: 7000 };
/** For tests that wait for the end of a lease or of a request, in real time. */
export const SHORT_LIMITS = { leaseMs: 3000, timeoutMs: 2000 };

/** The parts that outlive a restart of the bot: the service, a data folder and time. */
export interface CoreWorld {
  service: Sandbox;
  folder: string;
  limits: LedgerLimits;
  time: TestTime;
  log: Logger;
  /** The collections that each commit of a bot on the world's database has written. */
  commits: string[];
  /** The log's lines so far. */
  logged(): string;
  /** The requests of sends, in the order of arrival. */
  sendRequests(): Sandbox['requests'];
  balanceRequests(): Sandbox['requests'];
}

/** Starts the service beside an empty data folder. Both go when the test is over. */
export async function createCoreWorld(
  options: { limits?: Partial<LedgerLimits>; sandbox?: SandboxOptions } = {},
): Promise<CoreWorld> {
  const service = await createSandbox({ seed: SEED, ...options.sandbox });
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-core-'));
  const lines: string[] = [];
  whenOver(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    service,
    folder,
    limits: { ...LIMITS, ...options.limits },
    time: createTime(),
    log: pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }),
    commits: [],
    logged: () => lines.join(''),
    sendRequests: () => service.requests.filter(({ endpoint }) => endpoint === 'send'),
    balanceRequests: () => service.requests.filter(({ endpoint }) => endpoint === 'balance'),
  };
}

/** The store and the service's client in one run of the bot. */
export interface Boot extends CoreWorld {
  tap: LedgerTap;
  /** The tapped ledger that core gets. */
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  onReconnect: OpenStore['onReconnect'];
  isOtherServer: OpenStore['isOtherServer'];
  sameServerForMs: OpenStore['sameServerForMs'];
  renewMark: OpenStore['renewMark'];
  fingerprintSecret: Buffer;
  scrub: OpenStore['scrub'];
  sms: SmsClient;
}

const encryptionKey = randomBytes(32);

/** Opens the store as a start does. `addresses`: the service's, if they are not the sandbox's. */
export async function boot(
  world: CoreWorld,
  addresses: { baseUrl?: string; baseUrlAlt?: string } = {},
): Promise<Boot> {
  const db = openDatabase(world.folder);
  // Writes need not be synced: a kill loses none, only a power cut could.
  db.raw.exec('PRAGMA synchronous=OFF');
  const engine = createSqliteEngine(db, world.time.now);
  const noting: Engine = {
    ...engine,
    async commit(change, until) {
      const done = await engine.commit(change, until);
      const written = new Set(change.puts.map(({ address }) => address.collection));
      if (done.outcome === 'ok') world.commits.push([...written].sort().join(' '));
      return done;
    },
  };
  const real = createLedger(createSteps(noting), world.limits);
  await real.takeOver();
  const cipher = createCipher([encryptionKey]);
  const records = createRecords({
    store: createSqliteRecords(db),
    cipher,
    teamsWithOptOuts: real.teamsWithOptOuts,
    onDamaged(error) {
      throw error;
    },
  });
  await meet(records, 'T1');
  const tap = tapLedger(real);
  const sms = createSmsClient({
    baseUrl: world.service.url,
    timeoutMs: world.limits.timeoutMs,
    ...addresses,
  });
  whenOver(() => db.close());
  return {
    ...world,
    tap,
    ledger: tap.ledger,
    records,
    cipher,
    onReconnect() {},
    isOtherServer: async () => false,
    sameServerForMs: Infinity,
    async renewMark() {},
    fingerprintSecret: await records.fingerprintSecret(),
    scrub: sqliteScrub(db),
    sms,
  };
}

/** Writes down that the bot works in this workspace, so that it may keep keys for it. */
export async function meet({ workspaces }: Pick<Records, 'workspaces'>, team: string): Promise<void> {
  if (await workspaces.get(team)) return;
  await workspaces.set(team, { team, name: team, botUserId: 'U-bot', firstSeenAt: 1 });
}

/** The instances and links of a boot, for tests that need no more of core. */
export function createBooks(booted: Boot): { instances: Instances; links: Links } {
  const { ledger, records, time, log } = booted;
  const instances = createInstances({ ...booted, baseUrl: BASE_URL, clock: time.clock });
  const links = createLinks({ records, instances, ledger, clock: time.clock, log });
  return { instances, links };
}

/** For tests that are not about old copies of the data: no comparison with the books. */
export const UNCHECKED: Pick<Books, 'compare'> = { compare: async () => true };

export async function addInstance(
  { instances }: { instances: Pick<Instances, 'add'> },
  key = ACME_KEY,
  name = 'Acme',
): Promise<Instance> {
  const taken = await instances.add({ team: 'T1', name, key: ApiKey.from(key), by: ADMIN.id });
  if (taken.kind !== 'saved') throw new Error(`the fixture's key was not saved: ${taken.kind}`);
  return taken.instance;
}

/** Passed as `isAsShown`: the link is saved, whoever changed it before. */
export const ANY_LINK = () => true;

/** Links a channel of team T1. */
export async function linkTo(
  { links }: { links: Links },
  instance: Instance,
  over: Partial<LinkSettings> = {},
  channel = 'C-sales',
): Promise<Link> {
  const link = await links.save({
    ...{ team: 'T1', channel, instance, settings: settings(over), by: ADMIN.id },
    isAsShown: ANY_LINK,
  });
  if (!link) throw new Error('the fixture’s channel was not linked');
  return link;
}

/** Saves the limits of a link, and nothing else. False if the link is gone. */
export function saveLimits(
  { links }: { links: Links },
  link: Link,
  limits: SpendingLimits,
): Promise<boolean> {
  return links.saveLimits(link, limits, ANY_LINK, async () => true);
}

/** A posted row. A receipt's row has the state that it told. */
export type PostedRow = OutboxRow & { told?: SendView['outcome'] };

/** A whole running core, with what it has posted. */
export interface Run extends Boot {
  core: Core;
  posted: PostedRow[];
  /** Stops as after SIGTERM. */
  stop(): Promise<void>;
  /** Ends as by kill -9: no work goes on. */
  kill(): void;
}

/** Starts a bot without Slack: core on the world's store. Stops it with the test. */
export async function run(
  world: CoreWorld,
  options: {
    addresses?: { baseUrl?: string; baseUrlAlt?: string };
    deliver?(row: OutboxRow): Promise<Delivery>;
    /** How long a post takes, in ms; 0 by default. */
    postingMs?: number;
    admins?: string[];
    draftTtlMs?: number;
    listUndoMs?: number;
    bulk?: Partial<BulkLimits>;
    bulkRefusals?: RefusalMode;
    balancePollMs?: number;
    repeatGuardMs?: number;
    retention?: Partial<RetentionLimits>;
    onHomeDue?(): void;
    /** Opens another store than the database of the world's folder. */
    open?(world: CoreWorld): Promise<Boot>;
    /** Runs before core does anything. */
    prepare?(booted: Boot): void;
  } = {},
): Promise<Run> {
  const booted = options.open ? await options.open(world) : await boot(world, options.addresses);
  options.prepare?.(booted);
  let dead = false;
  const core = createCore({
    ...booted,
    baseUrl: BASE_URL,
    draftTtlMs: options.draftTtlMs ?? 900_000,
    // Lists begin at once, unless a test is about the undo time.
    listUndoMs: options.listUndoMs ?? 0,
    bulk: { ...BULK, ...options.bulk },
    bulkRefusals: options.bulkRefusals ?? 'unproven',
    // A poll would add to the requests that a test counts.
    balancePollMs: options.balancePollMs ?? 3_600_000,
    // Most tests send the same words again and again.
    repeatGuardMs: options.repeatGuardMs ?? 0,
    retention: { days: 90, lookupDays: 400, ...options.retention },
    admins: options.admins ?? [],
    clock: {
      ...world.time.clock,
      sleep: (ms, signal) => (dead ? new Promise(() => {}) : world.time.clock.sleep(ms, signal)),
    },
  });
  const posted: PostedRow[] = [];
  core.start(async (row) => {
    if (options.deliver) return options.deliver(row);
    const view = row.topic === TOPICS.receipt ? await core.sends.view(row.subject) : undefined;
    if (options.postingMs) await sleep(options.postingMs);
    posted.push(view ? { ...row, told: view.outcome } : row);
    return { kind: 'posted', posted: { ts: String(posted.length) } as Json };
  }, options.onHomeDue);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= dead ? Promise.resolve() : core.stop().then(() => booted.sms.close());
    return stopped;
  };
  whenOver(stop);
  return {
    ...booted,
    core,
    posted,
    stop,
    kill() {
      dead = true;
      booted.tap.kill();
    },
  };
}

/** A run with #sales linked to the Acme instance and its balance known. */
export async function runLinked(
  world: CoreWorld,
  options: Parameters<typeof run>[1] & { link?: Partial<LinkSettings> } = {},
): Promise<Run & { instance: Instance }> {
  const running = await run(world, options);
  const instance = await addInstance(running.core);
  await linkTo(running.core, instance, options.link);
  await running.core.credit.read(instance, 'interactive');
  return { ...running, instance };
}
