import { createOldWork } from './accounts/old-work.ts';
import { createPoll } from './accounts/poll-balances.ts';
import type { CoreOptions } from './core-options.ts';
import { createEvidenceSeeker } from './dispatch/seek-evidence.ts';
import type { Retention } from './history/retention.ts';
import type { Accounts } from './join-accounts.ts';
import type { Sending } from './join-sending.ts';
import type { Outbox } from './outbox.ts';
import { type Round, startRounds } from './rounds.ts';

const DUTIES_EVERY_MS = 1500;
const EVIDENCE_EVERY_MS = 2000;
const UNLINKS_EVERY_MS = 15_000;
const CLOCK_EVERY_MS = 30_000;
const MARK_EVERY_MS = 10_000;
const LOOK_UP_EVERY_MS = 30_000;
const RETENTION_EVERY_MS = 600_000;

/** Starts the rounds of periodic work. */
export function startBackground(
  { ledger, records, renewMark, limits, balancePollMs, clock, log }: CoreOptions,
  { instances, links, prices, books, credit }: Accounts,
  { attendance, dispatch }: Sending,
  { outbox, onHomeDue, retention }: { outbox: Outbox; onHomeDue(): void; retention: Retention },
): { stop(): Promise<void> } {
  /** Accounts that had unknown texts without evidence at the last look. */
  let unexplained: string[] = [];
  const oldWork = createOldWork({ instances, books, credit, limits, clock, log });

  /** Finds work after a restart, after a lost wake-up, or after another bot has died. */
  async function seeToDuties(): Promise<void> {
    await attendance.look();
    const duties = await ledger.pendingWork();
    ({ unexplained } = duties);
    const overdue = duties.needsRecovery ? await ledger.recover(oldWork.judge) : [];
    // Before the queues look: a text that the comparison lets go then goes out at once.
    await oldWork.compare([...overdue, ...duties.texts]);
    for (const priority of ['interactive', 'background'] as const) {
      for (const { team, instance } of duties.work[priority]) dispatch.wake(team, instance, priority);
    }
    if (duties.needsRecovery || duties.isOutboxDue) outbox.wake();
    if (duties.isHomeDue) onHomeDue();
  }

  let wasSetBack = false;

  /** On Redis, the server's clock decides, and somebody may set it back. */
  async function lookAtClock(): Promise<void> {
    const isSetBack = await ledger.clampTimes();
    if (isSetBack && !wasSetBack)
      log.warn('somebody has set the clock of the store back: nothing waits for the old time any more');
    wasSetBack = isSetBack;
  }

  const seekEvidence = createEvidenceSeeker({ ledger, credit, instances, prices, clock, log });
  const poll = createPoll({ ledger, instances: records.instances, credit, everyMs: balancePollMs, log });
  const rounds: Round[] = [
    { name: 'duties', everyMs: DUTIES_EVERY_MS, work: seeToDuties },
    { name: 'clock', everyMs: CLOCK_EVERY_MS, work: lookAtClock },
    { name: 'mark', everyMs: MARK_EVERY_MS, work: renewMark },
    { name: 'unlinks', everyMs: UNLINKS_EVERY_MS, work: links.removeDone },
    { name: 'evidence', everyMs: EVIDENCE_EVERY_MS, work: (signal) => seekEvidence(unexplained, signal) },
    { name: 'balances', everyMs: balancePollMs, work: poll },
    { name: 'look-up', everyMs: LOOK_UP_EVERY_MS, work: retention.list },
    { name: 'retention', everyMs: RETENTION_EVERY_MS, work: retention.forget },
  ];
  return startRounds(rounds, { clock, log });
}
