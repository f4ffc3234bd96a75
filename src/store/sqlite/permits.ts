import type { Audience, RequestFate, Wait } from '../ledger.ts';
import { permitMargin, permitsFor } from '../transitions.ts';
import type { Context } from './context.ts';
import { restOf } from './rests.ts';

/**
 * Takes a permit of a key, or says when it is worth asking again. Runs inside the caller's transaction. A permit is live
 * until its request was settled and a whole window has passed since ("Limits": window alignment is not shown), so no
 * alignment of the service's window can hold more requests than there are permits.
 */
export function takePermit(
  context: Context,
  lane: string,
  audience: Audience,
  token: string,
): Wait | undefined {
  const rests = restOf(context, lane);
  if (rests !== undefined) return { kind: 'wait', until: rests, rests: true };
  const { db, now, limits } = context;
  const at = now();
  db.sql('DELETE FROM permits WHERE lane = ? AND live_until <= ?').run(lane, at);
  const live = Number(db.sql('SELECT count(*) AS live FROM permits WHERE lane = ?').get(lane)?.live);
  const allowed = permitsFor(audience, limits.permits);
  if (live >= allowed) {
    const row = db
      .sql('SELECT live_until FROM permits WHERE lane = ? ORDER BY live_until LIMIT 1 OFFSET ?')
      .get(lane, live - allowed);
    return { kind: 'wait', until: Number(row?.live_until) };
  }
  db.sql('INSERT INTO permits (token, lane, live_until) VALUES (?, ?, ?)').run(
    token,
    lane,
    at + limits.leaseMs + limits.windowMs + permitMargin(limits.windowMs),
  );
  return undefined;
}

/** Sets a permit's end by what became of its request; one that never started is free at once. */
export function endPermit({ db, now, limits }: Context, token: string, request: RequestFate): void {
  if (request === 'never_started') {
    db.sql('DELETE FROM permits WHERE token = ?').run(token);
    return;
  }
  const doubt = request === 'unanswered' ? limits.timeoutMs : 0;
  db.sql('UPDATE permits SET live_until = ? WHERE token = ?').run(
    now() + limits.windowMs + permitMargin(limits.windowMs) + doubt,
    token,
  );
}
