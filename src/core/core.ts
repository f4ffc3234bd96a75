import type { Logger } from 'pino';
import type { Store } from '../data/data.ts';
import type {
  Announcement,
  ChunkRecord,
  Ledger,
  LedgerLimits,
  OutboxRow,
  SendRecord,
  Settlement,
} from '../ledger/ledger.ts';
import type { Cipher } from '../records/encryption.ts';
import type { Records } from '../records/records.ts';
import type { SmsClient } from '../sms/client.ts';
import { createBooks } from './accounts/books.ts';
import { type Credit, createCredit } from './accounts/credit.ts';
import { createInstances, type Instance, type Instances } from './accounts/instances.ts';
import { createKeyHealth } from './accounts/key-health.ts';
import { announceLinkChange } from './accounts/link-change.ts';
import { createLinks, type Links } from './accounts/links.ts';
import { createPoll } from './accounts/poll.ts';
import type { BalanceRead } from './accounts/read-balance.ts';
import { createRefusalChecks, type RefusalChecks } from './accounts/refusal-check.ts';
import { createRefusals, type RefusalMode, type Refusals } from './accounts/refusals.ts';
import { createWarnings, type Warnings } from './accounts/warnings.ts';
import type { Clock } from './clock.ts';
import { createAfterSettled } from './dispatch/after-settled.ts';
import { createAttempts } from './dispatch/attempts.ts';
import { createAttendance } from './dispatch/attendance.ts';
import { createDispatch } from './dispatch/dispatch.ts';
import { createEvidenceSeeker } from './dispatch/evidence.ts';
import { createFunds } from './dispatch/funds.ts';
import { createWaitNews } from './dispatch/waiting.ts';
import type { PauseReason } from './jobs/job-details.ts';
import { type BulkLimits, createJobDrafts } from './jobs/job-drafts.ts';
import { createJobNews } from './jobs/job-news.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { createListChecker } from './lists/checker.ts';
import { createOutbox, type Delivery } from './outbox.ts';
import { startRounds } from './rounds.ts';
import { createPriceBook } from './sends/prices.ts';
import type { SendView } from './sends/send-view.ts';
import { createSends, type Sends } from './sends/sends.ts';
import { TOPICS } from './topics.ts';

/** What the product does, for whoever shows it to people. */
export interface Core {
  /** All but what opens a key, and what only core needs. */
  instances: Pick<Instances, 'get' | 'list' | 'add' | 'replaceKey' | 'remove'>;
  links: Links;
  credit: Credit;
  refusals: Pick<Refusals, 'of' | 'set' | 'isShared' | 'setShared'>;
  refusalChecks: RefusalChecks;
  sends: Sends;
  jobs: Jobs;
  warnings: Warnings;
  /** Single sends of a workspace whose fate is unknown and needs a person's decision, oldest first. */
  unknownSends(team: string): Promise<SendView[]>;
  /** The workspace that a send belongs to; undefined where there is no such send. */
  teamOf(send: string): Promise<string | undefined>;
  /** Posts a message that must arrive; the same id again changes it. */
  announce(row: Announcement): Promise<void>;
  /** True for the first caller of a key within ten minutes: Slack delivers some things more than once. */
  firstTime(key: string): Promise<boolean>;
  /** Whether the ledger refuses to take answers in: nothing new is sent meanwhile. */
  isBlocked(): boolean;
  /** Begins the rounds: dispatch, recovery, polls, evidence, outbox. `deliver` posts an outbox row. */
  start(deliver: (row: OutboxRow) => Promise<Delivery>): void;
  /** Takes nothing new and resolves when what is in flight is settled and posted. */
  stop(): Promise<void>;
}

export type { Json, OutboxRow } from '../ledger/ledger.ts';

const REPEAT_TTL_MS = 600_000;
const DUTIES_EVERY_MS = 1500;
const EVIDENCE_EVERY_MS = 2000;
const UNLINKS_EVERY_MS = 10_000;

/** Joins the parts of core. Nothing runs before `start`. */
export function createCore(deps: {
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  onReconnect: Store['onReconnect'];
  fingerprintSecret: Buffer;
  sms: SmsClient;
  baseUrl: string;
  limits: LedgerLimits;
  draftTtlMs: number;
  bulk: BulkLimits;
  /** How a provider refuses lists, where no admin has said anything. */
  bulkRefusals: RefusalMode;
  balancePollMs: number;
  /** User ids that get direct messages: about keys that stop working, and news that a channel can't be sent. */
  admins: readonly string[];
  clock: Clock;
  log: Logger;
  /** Told of each answer that is in the ledger, with the chunk as it then stands. */
  onSettled?(chunk: ChunkRecord, settlement: Settlement): void;
  /** Called for each message to Slack that was given up. */
  onGivenUp?(): void;
}): Core {
  const { ledger, records, sms, clock, log } = deps;
  const instances = createInstances({ ...records, ...deps });
  const links = createLinks({ ...records, instances, ledger, clock });
  const prices = createPriceBook(records.prices);
  let outbox: ReturnType<typeof createOutbox> | undefined;
  const wakeOutbox = () => outbox?.wake();
  const { admins } = deps;
  const warnings = createWarnings({
    ledger,
    links: records.links,
    instances,
    admins,
    onAnnounced: wakeOutbox,
  });
  const keyHealth = createKeyHealth({ ledger, instances, links, admins, onAnnounced: wakeOutbox });
  const refusals = createRefusals({
    ledger,
    links,
    admins,
    fallback: deps.bulkRefusals,
    onAnnounced: wakeOutbox,
  });
  const waitNews = createWaitNews({ ledger, onAnnounced: wakeOutbox });
  const jobNews = createJobNews({ ledger, log, onAnnounced: wakeOutbox });
  const books = createBooks({
    ledger,
    instances,
    refusals,
    mostCostOf: (account, chunks) => prices.mostCredits(account, textsOf(chunks)),
    leaseMs: deps.limits.leaseMs,
    clock,
    log,
    pause: (send) => ledger.pause(send, JSON.stringify({ why: 'books' } satisfies PauseReason)),
    onChanged: jobNews.changed,
  });
  deps.onReconnect(books.doubtAll);
  const credit = createCredit({ ledger, sms, instances, books, clock, log, onRead: afterRead });
  const refusalChecks = createRefusalChecks({
    ...deps,
    instances,
    credit,
    refusals,
    mostCredits: prices.mostCredits,
    timeoutMs: deps.limits.timeoutMs,
  });
  const funds = createFunds({ ledger, credit, prices, clock });
  const attendance = createAttendance({ ledger, books, credit, clock, onChanged: jobNews.changed });
  const follow = createAfterSettled({
    ledger,
    prices,
    keyHealth,
    warnings,
    jobNews,
    onJobEnded: compareAtEnd,
    wakeOutbox,
  });
  const attempts = createAttempts({
    ...deps,
    refusals,
    funds,
    onSettled(instance, send, chunk, settlement) {
      deps.onSettled?.(chunk, settlement);
      return follow(instance, send, chunk, settlement);
    },
  });
  const dispatch = createDispatch({
    ...deps,
    instances,
    attempts,
    funds,
    attendance,
    onWaiting: waitNews.note,
  });
  const evidence = createEvidenceSeeker({
    ledger,
    credit,
    instances,
    costOf: (instance, chunks) => prices.costOf(instance.accountId, chunks),
    clock,
    log,
  });
  const sends = createSends({
    ledger,
    links,
    credit,
    prices,
    draftTtlMs: deps.draftTtlMs,
    clock,
    onConfirmed: begin,
    onAnnounced: wakeOutbox,
  });
  const jobs = createJobs({
    ledger,
    limits: deps.limits,
    links,
    instances,
    credit,
    books,
    clock,
    drafts: createJobDrafts({ ...deps, links, credit, prices, checker: createListChecker({ log }) }),
    async onRunning(send) {
      dispatch.wake(send.team, send.instance, 'background');
      await jobNews.changed(send.id);
    },
    onChanged: jobNews.changed,
  });
  let rounds: ReturnType<typeof startRounds> | undefined;

  /** Off it goes; "Sending…" comes from the row of the receipt, so that the two never overtake each other. */
  async function begin(send: SendRecord): Promise<void> {
    dispatch.wake(send.team, send.instance, 'interactive');
    const { receipt } = TOPICS;
    try {
      await ledger.announce({ id: `${receipt}:${send.id}`, topic: receipt, subject: send.id, details: null });
      wakeOutbox();
    } catch (error) {
      // It is decided and goes out: whoever pressed Send must not read that it failed. The receipt follows all the
      // same.
      log.error({ err: error, send: send.id }, '"Sending…" could not be made due');
    }
  }

  /** If an `atomic` provider charged for a refused list after all, the balance shows it, now or a little later. */
  async function compareAtEnd(instance: Instance): Promise<void> {
    if ((await refusals.of(instance)).mode !== 'atomic') return;
    books.watch(instance.accountId);
    await credit.readAnew(instance, 'background');
  }

  async function afterRead(instance: Instance, read: BalanceRead): Promise<void> {
    if (read.kind === 'ok') await keyHealth.note(instance, true);
    if (read.kind === 'key_refused') await keyHealth.note(instance, false);
    if (read.kind === 'ok') await warnings.check(instance.accountId);
  }

  /** Accounts that had unknown texts without evidence when it was last looked. */
  let unexplained: string[] = [];

  /** Sees to what needs somebody: after a restart, where a wake-up was lost, and what another bot has left. */
  async function seeToDuties(): Promise<void> {
    await attendance.look();
    const duties = await ledger.duties();
    ({ unexplained } = duties);
    for (const audience of ['interactive', 'background'] as const) {
      for (const { team, instance } of duties.work[audience]) dispatch.wake(team, instance, audience);
    }
    if (duties.isToRecover) await ledger.recover();
    if (duties.isToRecover || duties.isOutboxDue) wakeOutbox();
  }

  /** Takes away the links whose jobs are done by now, where somebody has asked for that. */
  async function unlinkDone(): Promise<void> {
    await links.removeDone(async ({ team, channel, instanceId }, by) => {
      const instanceName = (await instances.get(team, instanceId))?.name ?? '';
      await announceLinkChange({ announce }, { team, channel, by, instanceName, linked: false });
    });
  }

  const poll = createPoll({ ledger, instances: records.instances, credit, everyMs: deps.balancePollMs, log });

  async function announce(row: Announcement): Promise<void> {
    await ledger.announce(row);
    wakeOutbox();
  }

  const { get, list, add, replaceKey, remove } = instances;
  const { of, set, isShared, setShared } = refusals;
  return {
    instances: { get, list, add, replaceKey, remove },
    links,
    credit,
    refusals: { of, set, isShared, setShared },
    refusalChecks,
    sends,
    jobs,
    warnings,
    async unknownSends(team) {
      const found = await ledger.unknowns(team);
      const views = await Promise.all(found.map(({ send }) => sends.view(send.id)));
      return views.filter((view) => view !== undefined);
    },
    teamOf: async (send) => (await ledger.find(send))?.team,
    announce,
    firstTime: (key) => ledger.firstTime(key, REPEAT_TTL_MS),
    isBlocked: attempts.isBlocked,
    start(deliver) {
      outbox = createOutbox({ ...deps, deliver });
      rounds = startRounds(
        [
          { name: 'duties', everyMs: DUTIES_EVERY_MS, work: seeToDuties },
          { name: 'unlinks', everyMs: UNLINKS_EVERY_MS, work: unlinkDone },
          {
            name: 'evidence',
            everyMs: EVIDENCE_EVERY_MS,
            work: (signal) => evidence.look(unexplained, signal),
          },
          { name: 'balances', everyMs: deps.balancePollMs, work: poll },
        ],
        { clock, log },
      );
    },
    async stop() {
      await Promise.all([rounds?.stop(), dispatch.drain()]);
      await outbox?.drain();
    },
  };
}

function textsOf(chunks: ChunkRecord[]): string[] {
  return chunks.flatMap((chunk) => chunk.messages.map((message) => message.text));
}
