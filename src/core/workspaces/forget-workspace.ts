import type { Ledger } from '../../ledger/ledger.ts';
import { forgetInstance } from '../../records/forget-instance.ts';
import type { Records } from '../../records/records.ts';

/**
 * Stops all work of a workspace and deletes its records and keys; its sends stay, and so does its choice of how long they
 * are kept. Its drafts expire and its open sends stop. Then its links, instances and settings are deleted, and the prices
 * of an account that nobody else uses. Returns false while one of its requests waits for an answer: call it again then,
 * and it deletes the rest. Damaged records go as well, so what is done with them is known by their keys.
 */
export async function forgetWorkspace(
  { ledger, records }: { ledger: Ledger; records: Records },
  team: string,
): Promise<boolean> {
  const nameIn = (key: string) => key.slice(`${team}/`.length);
  // The links first: from then on nothing new can be drafted or decided.
  for (const link of await records.links.keys(team)) {
    await records.links.delete(link);
    await ledger.expireDrafts(team, nameIn(link));
  }
  const mine = await records.instances.list(team);
  const keys = await records.instances.keys(team);
  let inFlight = 0;
  for (const id of keys.map(nameIn)) {
    for (const send of await ledger.openSends(id)) {
      if (send.team === team) await ledger.stop(send.id);
    }
    inFlight += (await ledger.openSends(id)).length;
  }
  if (inFlight > 0) return false;
  for (const instance of mine) await forgetInstance(records, instance);
  for (const key of keys) await records.instances.delete(key);
  const inUse = new Set((await records.instances.list()).map(({ accountId }) => accountId));
  for (const { accountId } of mine) {
    if (!inUse.has(accountId)) await records.prices.delete(accountId);
  }
  await records.workspaceRules.delete(team);
  await records.workspaces.delete(team);
  return true;
}
