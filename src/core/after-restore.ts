import type { Ledger } from '../ledger/ledger.ts';
import type { SendRecord } from '../ledger/model/send-record.ts';
import type { Records } from '../records/records.ts';
import { splitKey } from '../records/schema.ts';
import { cardOf } from './jobs/job-news.ts';
import { writePauseReason } from './jobs/pause-reason.ts';

/**
 * Stops all that a restored copy of the data would send, in all workspaces. The bot may have sent it after the copy was
 * made. Jobs pause, and their cards say why. Waiting single texts are cancelled, and drafts expire. Returns how many of
 * each; `paused` counts the jobs that were paused before.
 */
export async function holdBackAll(deps: { ledger: Ledger; records: Pick<Records, 'instances' | 'links'> }) {
  const { ledger, records } = deps;
  const held = { jobs: 0, paused: 0, texts: 0, drafts: 0 };
  const reason = writePauseReason({ why: 'restored' });

  async function holdBack({ id, kind }: SendRecord): Promise<void> {
    if (kind === 'single') {
      if (await ledger.stop(id)) held.texts += 1;
      return;
    }
    if (await ledger.pause(id, reason)) held.jobs += 1;
    else if (await ledger.mergeDetails(id, { restored: true })) held.paused += 1;
    await ledger.announce(cardOf(id));
  }

  // By their keys, since a list of records leaves out damaged ones.
  for (const [, id] of (await records.instances.keys()).map(splitKey)) {
    for (const send of await ledger.openSends(id)) await holdBack(send);
  }
  for (const [team, channel] of (await records.links.keys()).map(splitKey)) {
    held.drafts += await ledger.expireDrafts(team, channel, { why: 'may_be_sent' });
  }
  return held;
}
