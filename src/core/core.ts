import type { Logger } from 'pino';
import type { SmsClient } from '../sms/client.ts';
import type { Cipher } from '../store/encryption.ts';
import type {
  ChunkRecord,
  Ledger,
  LedgerLimits,
  OutboxRow,
  SendRecord,
  Settlement,
} from '../store/ledger.ts';
import type { Records } from '../store/records.ts';
import type { Clock } from './clock.ts';
import { type BalanceRead, type Credit, createCredit } from './credit.ts';
import { createDispatch } from './dispatch.ts';
import { createEvidenceSeeker } from './evidence.ts';
import { createInstances, type Instance, type Instances } from './instances.ts';
import { createKeyHealth } from './key-health.ts';
import { createLinks, type Links } from './links.ts';
import { createOutbox, type Delivery } from './outbox.ts';
import { createPriceBook } from './prices.ts';
import { ChunkResult } from './results.ts';
import { startRounds } from './rounds.ts';
import type { SendView } from './send-view.ts';
import { createSends, type Sends } from './sends.ts';
import { TOPICS } from './topics.ts';
import { createWaitNews } from './waiting.ts';
import { createWarnings, type Warnings } from './warnings.ts';

/** What the product does, for whoever shows it to people. */
export interface Core {
  instances: Instances;
  links: Links;
  credit: Credit;
  sends: Sends;
  warnings: Pick<Warnings, 'check'>;
  /** Single sends of a workspace whose fate is unknown, oldest first. */
  unknownSends(team: string): Promise<SendView[]>;
  /** Posts a message that must arrive; the same id again changes it. */
  announce(row: Parameters<Ledger['announce']>[0]): Promise<void>;
  /** True for the first caller of a key within ten minutes: Slack delivers some things more than once. */
  firstTime(key: string): Promise<boolean>;
  /** Begins the rounds: dispatch, recovery, polls, evidence, outbox. `deliver` posts an outbox row. */
  start(deliver: (row: OutboxRow) => Promise<Delivery>): void;
  /** Takes nothing new and resolves when what is in flight is settled and posted. */
  stop(): Promise<void>;
}

export type { Json, OutboxRow } from '../store/ledger.ts';

const REPEAT_TTL_MS = 600_000;
const RECOVER_EVERY_MS = 1000;
const OUTBOX_EVERY_MS = 500;
const EVIDENCE_EVERY_MS = 2000;

/** Joins the parts of core. Nothing runs before `start`. */
export function createCore(deps: {
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  fingerprintSecret: Buffer;
  sms: SmsClient;
  baseUrl: string;
  limits: LedgerLimits;
  draftTtlMs: number;
  balancePollMs: number;
  /** User ids told directly about keys that stop working. */
  admins: readonly string[];
  clock: Clock;
  log: Logger;
}): Core {
  const { ledger, records, sms, clock, log } = deps;
  const instances = createInstances({ ...deps, instances: records.instances, links: records.links });
  const links = createLinks({ links: records.links, instances, ledger, clock });
  const prices = createPriceBook(records.prices);
  let outbox: ReturnType<typeof createOutbox> | undefined;
  const wakeOutbox = () => outbox?.wake();
  const warnings = createWarnings({ ledger, links: records.links, instances, onAnnounced: wakeOutbox });
  const keyHealth = createKeyHealth({
    ledger,
    instances,
    links,
    admins: deps.admins,
    onAnnounced: wakeOutbox,
  });
  const credit = createCredit({ ledger, sms, instances, clock, log, onRead: afterRead });
  const waitNews = createWaitNews({ ledger, onAnnounced: wakeOutbox });
  const dispatch = createDispatch({
    ...deps,
    instances,
    onWaiting: waitNews.note,
    onSettled: afterSettled,
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
  });
  let rounds: ReturnType<typeof startRounds> | undefined;

  /** Off it goes; "Sending…" comes from the row of the receipt, so that the two never overtake each other. */
  async function begin(send: SendRecord): Promise<void> {
    dispatch.wake(send.team, send.instance);
    const { receipt } = TOPICS;
    try {
      await ledger.announce({ id: `${receipt}:${send.id}`, topic: receipt, subject: send.id, details: null });
      wakeOutbox();
    } catch (error) {
      // It is decided and goes out: whoever pressed Send must not read that it failed. The receipt follows all the same.
      log.error({ err: error, send: send.id }, '"Sending…" could not be made due');
    }
  }

  async function afterRead(instance: Instance, read: BalanceRead): Promise<void> {
    if (read.kind === 'ok') await keyHealth.note(instance, true);
    if (read.kind === 'key_refused') await keyHealth.note(instance, false);
    if (read.kind === 'ok') await warnings.check(instance.accountId);
  }

  async function afterSettled(
    instance: Instance,
    _send: SendRecord,
    chunk: ChunkRecord,
    settlement: Settlement,
  ): Promise<void> {
    wakeOutbox();
    const { accountId } = instance;
    if (settlement.to === 'sent') {
      await prices.learn(accountId, chunk.messages[0]?.text ?? '', settlement.receipt.creditsUsed);
      await keyHealth.note(instance, true);
      await warnings.check(accountId);
    }
    const result = settlement.to === 'rejected' ? ChunkResult.parse(settlement.result) : undefined;
    if (result?.cause === 'key_refused') await keyHealth.note(instance, false);
    if (result?.cause === 'credits') {
      if (result.availableCredits !== undefined) {
        // What a refusal names is a figure like a receipt's: it may lower what we know, never raise it.
        const marker = await ledger.markBalanceRead(accountId);
        await ledger.recordBalance(
          { ...marker, nothingSending: false, idle: false },
          result.availableCredits,
        );
      }
      await warnings.check(accountId, { refused: true });
    }
  }

  /** One balance read per account, with a key that works; and one with each key that doesn't: it may by now. */
  async function poll(): Promise<void> {
    const all = await records.instances.list();
    const isRefused = (instance: Instance) => instance.keyRefusedAt !== undefined;
    const byAccount = new Map<string, Instance>();
    for (const instance of all) {
      const chosen = byAccount.get(instance.accountId);
      if (!chosen || isRefused(chosen)) byAccount.set(instance.accountId, instance);
    }
    const asked = new Set([...byAccount.values(), ...all.filter(isRefused)]);
    for (const instance of asked) {
      // One key that can't be opened must not keep the others from being asked.
      await credit.read(instance, 'background').catch((error: unknown) => {
        log.error({ err: error, instance: instance.id }, 'a balance could not be read');
      });
    }
  }

  /** Wakes every lane that has something pending: after a restart, and where a wake-up was lost. */
  async function wakeLanes(): Promise<void> {
    await ledger.recover();
    const waiting = new Set(await ledger.instancesWithWork('interactive'));
    if (waiting.size === 0) return;
    for (const instance of await records.instances.list()) {
      if (waiting.has(instance.id)) dispatch.wake(instance.team, instance.id);
    }
  }

  return {
    instances,
    links,
    credit,
    sends,
    warnings,
    async unknownSends(team) {
      const found = await ledger.unknowns(team);
      const views = await Promise.all(found.map(({ send }) => sends.view(send.id)));
      return views.filter((view) => view !== undefined);
    },
    async announce(row) {
      await ledger.announce(row);
      wakeOutbox();
    },
    firstTime: (key) => ledger.firstTime(key, REPEAT_TTL_MS),
    start(deliver) {
      outbox = createOutbox({ ledger, deliver, log });
      rounds = startRounds(
        [
          { name: 'recover', everyMs: RECOVER_EVERY_MS, work: wakeLanes },
          { name: 'outbox', everyMs: OUTBOX_EVERY_MS, work: async () => wakeOutbox() },
          { name: 'evidence', everyMs: EVIDENCE_EVERY_MS, work: (signal) => evidence.look(signal) },
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
