import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { NO_LIMITS, type SpendingLimits } from '../../src/core/accounts/channel-limits.ts';
import type { World } from './world.ts';
import { loaded, openModal } from './world-steps.ts';

/** Writes a linked channel's limits beside the running bot, which reads them for each command and click. */
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

/** Fills in the Limits form of #sales as an admin: words and ids by label. Throws unless the bot saves it. */
export async function saveLimits({ slack }: World, values: Record<string, string | string[]>): Promise<void> {
  const user = slack.people.admin;
  const asked = { user, channel: slack.channels.sales, text: 'limits' };
  const form = await loaded(slack, await openModal(slack, asked));
  const { outcome, errors } = await slack.submitView({ user, view: form, values });
  if (outcome !== 'updated') throw new Error(`not saved: ${outcome} ${JSON.stringify(errors)}`);
}
