import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { NO_LIMITS, type SpendingLimits } from '../../src/core/accounts/limits.ts';
import type { World } from './world.ts';

/** Writes what a linked channel may spend beside the running bot, which reads it for each command and click. */
export function limitChannel(
  { dataDir, slack }: World,
  limits: Partial<SpendingLimits>,
  channel: { id: string } = slack.channels.sales,
): void {
  const db = new DatabaseSync(join(dataDir, 'switchboard.db'), { timeout: 5000 });
  try {
    const { changes } = db
      .prepare(
        "UPDATE kv SET value = json_set(value, '$.value.limits', json(?)) WHERE namespace = 'links' AND key = ?",
      )
      .run(JSON.stringify({ ...NO_LIMITS, ...limits }), `${slack.team.id}/${channel.id}`);
    if (changes !== 1) throw new Error(`the channel ${channel.id} is not linked`);
  } finally {
    db.close();
  }
}
