import type { Ledger } from '../../ledger/ledger.ts';
import { forgetInstance } from '../../records/forget-instance.ts';
import type { Records } from '../../records/records.ts';
import { linkKey } from '../../records/schema.ts';

/**
 * Stops all work of a workspace and deletes its records and keys; its sends stay. Its drafts expire and its open sends
 * stop. Then its links, instances and settings are deleted, and the prices of an account that nobody else uses. Returns
 * false while one of its requests waits for an answer: call it again then, and it deletes the rest.
 */
export async function forgetWorkspace(
  { ledger, records }: { ledger: Ledger; records: Records },
  team: string,
): Promise<boolean> {
  // The links first: from then on nothing new can be drafted or decided.
  for (const { channel } of await records.links.list(team)) {
    await records.links.delete(linkKey({ team, channel }));
    await ledger.expireDrafts(team, channel);
  }
  const mine = await records.instances.list(team);
  let inFlight = 0;
  for (const { id } of mine) {
    for (const send of await ledger.openSends(id)) {
      if (send.team === team) await ledger.stop(send.id);
    }
    inFlight += (await ledger.openSends(id)).length;
  }
  if (inFlight > 0) return false;
  for (const instance of mine) await forgetInstance(records, instance);
  const inUse = new Set((await records.instances.list()).map(({ accountId }) => accountId));
  for (const { accountId } of mine) {
    if (!inUse.has(accountId)) await records.prices.delete(accountId);
  }
  await records.retention.delete(team);
  await records.workspaceRules.delete(team);
  await records.workspaces.delete(team);
  return true;
}
