import type { TurnedAway } from '../ledger.ts';
import type { Context } from './context.ts';

/** Until when a key rests, if it does. */
export function restOf({ db, now }: Context, lane: string): number | undefined {
  const row = db.sql('SELECT until FROM rests WHERE lane = ? AND until > ?').get(lane, now());
  return row && Number(row.until);
}

/** Whether the key of a permit rests. */
export function isResting({ db, now }: Context, token: string): boolean {
  const row = db
    .sql('SELECT 1 FROM permits JOIN rests USING (lane) WHERE token = ? AND until > ?')
    .get(token, now());
  return row !== undefined;
}

/** Lays the key of a permit to rest, or lets it rest longer. Answers until when; nothing where the permit is over. */
export function rest(
  { db, now, limits }: Context,
  token: string,
  { restMs }: TurnedAway,
): number | undefined {
  const at = now();
  db.sql('DELETE FROM rests WHERE until <= ?').run(at);
  const row = db
    .sql(
      `INSERT INTO rests (lane, until) SELECT lane, ?2 FROM permits WHERE token = ?1
       ON CONFLICT (lane) DO UPDATE SET until = max(until, excluded.until) RETURNING until`,
    )
    .get(token, at + (restMs ?? limits.windowMs));
  return row && Number(row.until);
}
