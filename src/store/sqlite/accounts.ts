import type {
  AccountRecord,
  BalanceMarker,
  ChunkRecord,
  ChunkRef,
  EvidenceCase,
  Json,
  Receipt,
} from '../ledger.ts';
import type { Context } from './context.ts';
import { CHUNKS, chunkOf } from './rows.ts';

/** Counts an intent or a settlement of the account: a balance read that saw the count move was not quiet. */
export function noteActivity({ db }: Context, account: string): void {
  db.sql(
    'INSERT INTO accounts (id, activity) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET activity = activity + 1',
  ).run(account);
}

/** Takes in what an answer says of the credits: the figure falls at once, and the anchor is carried forward. */
export function noteReceipt({ db, now }: Context, chunk: ChunkRecord, receipt: Receipt): void {
  const account = chunk.account as string;
  db.sql(
    `UPDATE accounts SET credits = ?1, as_of = ?2 WHERE id = ?3 AND (credits IS NULL OR credits >= ?1)`,
  ).run(receipt.creditsRemaining, now(), account);
  db.sql('UPDATE chunks SET credits_used = ? WHERE send = ? AND idx = ?').run(
    receipt.creditsUsed,
    chunk.send,
    chunk.index,
  );
  // A late answer whose charge the evidence has already seen is in the new anchor.
  if (chunk.evidence === undefined) {
    db.sql('UPDATE accounts SET receipts_since = receipts_since + ? WHERE id = ?').run(
      receipt.creditsUsed,
      account,
    );
  }
}

/** What is known of an account's credits; nothing before the first figure. */
export function findAccount({ db }: Context, id: string): AccountRecord | undefined {
  const row = db.sql('SELECT * FROM accounts WHERE id = ? AND credits IS NOT NULL').get(id);
  if (!row) return undefined;
  return {
    id,
    credits: Number(row.credits),
    asOf: Number(row.as_of),
    activity: Number(row.activity),
    ...(row.anchor === null
      ? {}
      : {
          anchor: {
            credits: Number(row.anchor),
            at: Number(row.anchored_at),
            receiptsSince: Number(row.receipts_since),
          },
        }),
  };
}

/** The known credits, and the messages of the account that are in flight since before this attempt. */
export function fundsOf(
  context: Context,
  account: string,
  { send, index }: ChunkRef,
): { credits?: number; inFlight: number } {
  const row = context.db
    .sql(
      `SELECT sum(size) AS messages FROM chunks WHERE state = 'sending' AND account = ?1 AND NOT (send = ?2 AND idx = ?3)
         AND deadline <= (SELECT deadline FROM chunks WHERE send = ?2 AND idx = ?3)`,
    )
    .get(account, send, index);
  const credits = findAccount(context, account)?.credits;
  return { ...(credits === undefined ? {} : { credits }), inFlight: Number(row?.messages ?? 0) };
}

/** What a place's sends were charged since then, and how many messages were sent. */
export function spentAt(
  { db }: Context,
  team: string,
  place: string,
  since: number,
): { credits: number; messages: number } {
  const row = db
    .sql(
      `SELECT sum(credits_used) AS credits, sum(CASE chunks.state WHEN 'sent' THEN size END) AS messages
       FROM chunks JOIN sends ON sends.id = chunks.send
       WHERE sends.team = ? AND sends.place = ? AND chunks.settled_at >= ?`,
    )
    .get(team, place, since);
  return { credits: Number(row?.credits ?? 0), messages: Number(row?.messages ?? 0) };
}

/** The account's activity as it stands; `idle`: nothing in flight and every unknown's deadline passed. */
export function markRead({ db, now }: Context, account: string): BalanceMarker {
  const activity = db.sql('SELECT activity FROM accounts WHERE id = ?').get(account);
  const sending = db.sql("SELECT 1 FROM chunks WHERE state = 'sending' AND account = ? LIMIT 1").get(account);
  const doubtful = db
    .sql("SELECT 1 FROM chunks WHERE state = 'unknown' AND account = ? AND deadline > ? LIMIT 1")
    .get(account, now());
  return {
    account,
    activity: activity ? Number(activity.activity) : 0,
    nothingSending: !sending,
    idle: !sending && !doubtful,
  };
}

/** Takes a balance read in: a rise, and an anchor, only where the account was quiet during it. */
export function takeBalance(
  context: Context,
  marker: BalanceMarker,
  credits: number,
): { account: AccountRecord; quiet: boolean } {
  const { db, now } = context;
  return db.transaction(() => {
    const after = markRead(context, marker.account);
    const settled = marker.nothingSending && after.activity === marker.activity;
    const quiet = settled && marker.idle && after.idle;
    const at = now();
    db.sql('INSERT INTO accounts (id) VALUES (?) ON CONFLICT (id) DO NOTHING').run(marker.account);
    // A figure that is not taken says nothing of how fresh the one is that stays.
    db.sql(
      'UPDATE accounts SET credits = ?1, as_of = ?2 WHERE id = ?3 AND (?4 OR credits IS NULL OR credits >= ?1)',
    ).run(credits, at, marker.account, settled ? 1 : 0);
    if (quiet && awaitingEvidence(context, marker.account).length === 0)
      anchorAt(context, marker.account, credits);
    return { account: findAccount(context, marker.account) as AccountRecord, quiet };
  });
}

function anchorAt({ db, now }: Context, account: string, credits: number): void {
  db.sql('UPDATE accounts SET anchor = ?, anchored_at = ?, receipts_since = 0 WHERE id = ?').run(
    credits,
    now(),
    account,
  );
}

function awaitingEvidence({ db }: Context, account: string): ChunkRecord[] {
  return db
    .sql(`${CHUNKS} WHERE state = 'unknown' AND account = ? AND evidence IS NULL ORDER BY settled_at`)
    .all(account)
    .map(chunkOf);
}

/** The account's unknown chunks without evidence, if there are any and its balance was ever read. */
export function evidenceCaseOf(context: Context, account: string): EvidenceCase | undefined {
  const record = findAccount(context, account);
  const unknowns = awaitingEvidence(context, account);
  if (!record || unknowns.length === 0) return undefined;
  return { account: record, unknowns, readyAt: Math.max(...unknowns.map((chunk) => chunk.deadline ?? 0)) };
}

/** Accounts that have unknown chunks without evidence. */
export function accountsWithUnknowns({ db }: Context): string[] {
  return db
    .sql(
      "SELECT DISTINCT account FROM chunks WHERE state = 'unknown' AND evidence IS NULL AND account IS NOT NULL",
    )
    .all()
    .map((row) => String(row.account));
}

/** Writes evidence and the new anchor; false where the account moved since the marker. Returns the sends touched. */
export function writeEvidence(
  context: Context,
  marker: BalanceMarker,
  credits: number,
  evidence: { ref: ChunkRef; evidence: Json }[],
): string[] | undefined {
  const after = markRead(context, marker.account);
  if (!marker.idle || !after.idle || after.activity !== marker.activity) return undefined;
  const touched = new Set<string>();
  for (const { ref, evidence: found } of evidence) {
    const { changes } = context.db
      .sql("UPDATE chunks SET evidence = ? WHERE send = ? AND idx = ? AND state = 'unknown' AND account = ?")
      .run(JSON.stringify(found), ref.send, ref.index, marker.account);
    if (changes > 0) touched.add(ref.send);
  }
  if (awaitingEvidence(context, marker.account).length === 0) anchorAt(context, marker.account, credits);
  return [...touched];
}
