import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { type Core, createCore } from '../src/core/core.ts';
import { sqliteScrub } from '../src/data/embedded.ts';
import { createLedger } from '../src/ledger/create-ledger.ts';
import type { LedgerLimits } from '../src/ledger/model/ledger-limits.ts';
import { createCipher } from '../src/records/encryption.ts';
import { createRecords } from '../src/records/records.ts';
import { createSqliteRecords } from '../src/records/sqlite/record-store.ts';
import { ROW_WORDS } from '../src/slack/ui/lists/words-in-files.ts';
import { ApiKey } from '../src/sms/api-key.ts';
import type { SmsClient } from '../src/sms/client.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { createSteps } from '../src/store/steps.ts';
import { ADMIN, ANA, settings } from '../test/helpers/core-people.ts';
import { recipientsCsv } from './recipients.ts';

const CHANNEL = 'C-sales';
export const API_KEY = 'bench-key-1111-aaaa';
/** The default limits, with another window. */
export const limitsFor = (windowMs: number): LedgerLimits => ({
  permits: 60,
  windowMs,
  leaseMs: 30_000,
  timeoutMs: 15_000,
});

/** Core on a real database, with a linked channel. `clock` and `now`: those of a simulation. */
export interface RunningCore {
  core: Core;
  stop(): Promise<void>;
}

/** Starts the bot without Slack: every post counts as done. */
export async function startCore({
  folder,
  sms,
  limits,
  chunkSize = 100,
  clock = systemClock,
  now,
}: {
  folder: string;
  sms: SmsClient;
  limits: LedgerLimits;
  chunkSize?: number;
  clock?: Clock;
  now?: () => number;
}): Promise<RunningCore> {
  const db = openDatabase(folder);
  const cipher = createCipher([randomBytes(32)]);
  const ledger = createLedger(createSteps(createSqliteEngine(db, now)), limits);
  const records = createRecords({
    store: createSqliteRecords(db),
    cipher,
    teamsWithOptOuts: ledger.teamsWithOptOuts,
    onDamaged(error) {
      throw error;
    },
  });
  const core = createCore({
    ledger,
    records,
    cipher,
    onReconnect() {},
    isOtherServer: async () => false,
    async renewMark() {},
    sameServerForMs: Infinity,
    fingerprintSecret: await records.fingerprintSecret(),
    sms,
    baseUrl: 'https://service.example/api/v1',
    limits,
    draftTtlMs: 900_000,
    listUndoMs: 0,
    bulk: { chunkSize, mostCharacters: 1000, minRecipients: 2 },
    bulkRefusals: 'atomic',
    balancePollMs: 300_000,
    repeatGuardMs: 0,
    retention: { days: 90, lookupDays: 400 },
    scrub: sqliteScrub(db),
    admins: [],
    clock,
    log: pino({ level: 'silent' }),
  });
  const { team } = ADMIN;
  await records.workspaces.set(team, { team, name: team, botUserId: 'UBOT', firstSeenAt: 1 });
  const taken = await core.instances.add({
    team,
    name: 'Acme',
    key: ApiKey.from(API_KEY),
    by: ADMIN.id,
  });
  if (taken.kind !== 'saved') throw new Error(`the key was not saved: ${taken.kind}`);
  const { instance } = taken;
  await core.links.save({
    team,
    channel: CHANNEL,
    instance,
    settings: settings(),
    isAsShown: (link) => link === undefined,
    by: ADMIN.id,
  });
  core.start(async () => ({ kind: 'posted', posted: null }));
  return {
    core,
    async stop() {
      await core.stop();
      await sms.close();
      db.close();
    },
  };
}

/** Drafts a job to this many recipients, and resolves to its id. */
export async function draftJob(core: Core, recipients: number): Promise<string> {
  const answer = await core.jobs.draft({
    channel: CHANNEL,
    person: ANA,
    source: { kind: 'file', name: 'list.csv', bytes: recipientsCsv(recipients) },
    template: 'Hello {name}, your code is {code}.',
    words: ROW_WORDS,
    reply: {},
  });
  if (answer.kind !== 'draft') throw new Error(`no draft was made: ${answer.kind}`);
  return answer.preview.view.id;
}

/** Presses Send. */
export async function confirmJob(core: Core, id: string): Promise<void> {
  const answer = await core.jobs.confirm(id, ANA, {});
  if (answer.kind !== 'running') throw new Error(`the job does not run: ${answer.kind}`);
}
