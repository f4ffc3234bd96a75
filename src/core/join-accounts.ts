import { createBooks } from './accounts/books.ts';
import { createCredit } from './accounts/credit.ts';
import { createDriftWatch } from './accounts/drift.ts';
import { createInstances, type Instance } from './accounts/instances.ts';
import { createKeyHealth } from './accounts/key-health.ts';
import { troubleIn } from './accounts/key-trouble.ts';
import { createLinks } from './accounts/links.ts';
import { createRefusalChecks } from './accounts/list-refusal-check.ts';
import { createRefusals } from './accounts/list-refusals.ts';
import { createWarnings } from './accounts/low-credit-warnings.ts';
import type { BalanceRead } from './accounts/read-balance.ts';
import { createStatements } from './accounts/statements.ts';
import type { CoreOptions } from './core-options.ts';
import { LONGEST_FUSE_MS } from './dispatch/request-gate.ts';
import type { JobNews } from './jobs/job-news.ts';
import { readPauseReason, writePauseReason } from './jobs/pause-reason.ts';
import { remainingCredits } from './jobs/read-job.ts';
import { createOptOuts } from './opt-outs/opt-outs.ts';
import { createPriceBook } from './sends/prices.ts';
import type { TakenBack } from './taken-back.ts';

/** Who pays, with which keys, and how many credits there are. */
export type Accounts = ReturnType<typeof joinAccounts>;

export function joinAccounts(options: CoreOptions, jobNews: JobNews, takenBack: TakenBack) {
  const { ledger, records, cipher, fingerprintSecret, sms, baseUrl, limits, admins, clock, log } = options;
  const instances = createInstances({ ledger, records, cipher, fingerprintSecret, sms, baseUrl, clock });
  const links = createLinks({ ledger, records, instances, clock, log });
  const prices = createPriceBook(records, ledger, log);
  const statements = createStatements({ ledger, instances, remainingCredits, clock });
  const warnings = createWarnings({ ledger, records, statements, admins });
  const keyHealth = createKeyHealth({ ledger, instances, links, admins });
  const refusals = createRefusals({ ledger, instances, links, admins, fallback: options.bulkRefusals });
  const drift = createDriftWatch({ ledger, instances, links, refusals, admins });
  const books = createBooks({
    ledger,
    instances,
    links,
    refusals,
    mostCredits: prices.mostCredits,
    leaseMs: limits.leaseMs,
    sameServerForMs: options.sameServerForMs,
    clock,
    log,
    pause: (send, why) => ledger.pause(send, writePauseReason({ why })),
    isPausedFor: ({ pauseReason }, why) =>
      pauseReason !== undefined && readPauseReason(pauseReason).why === why,
    onChanged: jobNews.changed,
  });

  async function afterRead(instance: Instance, read: BalanceRead): Promise<void> {
    const health = read.kind === 'ok' ? 'works' : troubleIn(read);
    if (health) await keyHealth.note(instance, health);
    if (read.kind !== 'ok') return;
    const { accountId } = instance;
    const elsewhere = read.difference?.kind === 'elsewhere' ? -read.difference.credits : 0;
    if (elsewhere > 0) await refusals.noteElsewhere(accountId, elsewhere);
    await warnings.check(accountId);
    await drift.check(accountId, elsewhere > 0);
  }

  const credit = createCredit({ ledger, sms, instances, books, clock, log, onRead: afterRead });
  const fuseMs = LONGEST_FUSE_MS;
  const optOuts = createOptOuts({ ledger, cipher, fingerprintSecret, fuseMs, takenBack, clock, log });
  const refusalChecks = createRefusalChecks({
    ledger,
    sms,
    instances,
    credit,
    refusals,
    books,
    mostCredits: prices.mostCredits,
    isOptedOut: async (team, digits) => (await optOuts.find(team, digits))?.isOut === true,
    fuseMs,
    timeoutMs: limits.timeoutMs,
    clock,
    log,
  });
  return {
    instances,
    links,
    prices,
    warnings,
    keyHealth,
    refusals,
    books,
    credit,
    refusalChecks,
    statements,
    drift,
    optOuts,
  };
}
