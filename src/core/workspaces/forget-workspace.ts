import type { Ledger } from '../../ledger/ledger.ts';
import type { Namespace } from '../../records/namespace.ts';
import type { Records } from '../../records/records.ts';
import { accountInstancesKey } from '../../records/schema.ts';
import type { Step } from '../../records/step.ts';
import { lowCreditState, statesOfInstance } from '../state-names.ts';

/** Whether the removal is still in force, by the records that the step reads. */
export type MayForget = (step: Step) => Promise<boolean>;

/**
 * Stops all work of a workspace and deletes its records and keys, damaged ones too. Its sends stay, and so does its
 * choice of how long they are kept. Each deletion checks `mayForget` in the same step. While this process is frozen,
 * another one may end the removal, and somebody may install the bot again. Returns false if the caller should try
 * again: a request still waits for its answer, or `mayForget` was false before sends were stopped.
 */
export async function forgetWorkspace(
  { ledger, records }: { ledger: Ledger; records: Records },
  team: string,
  mayForget: MayForget,
): Promise<boolean> {
  const nameIn = (key: string) => key.slice(`${team}/`.length);
  const remove = <T>(of: Namespace<T>, key: string) =>
    records.inOneStep(async (step) => {
      const may = await mayForget(step);
      if (may) step.delete(of, key);
      return may;
    });
  // Delete the links first: from then on nobody can draft or decide anything new.
  for (const key of await records.links.keys(team)) {
    const link = await records.links.get(key);
    if (!(await remove(records.links, key))) continue;
    await ledger.expireDrafts(team, nameIn(key));
    if (link) await ledger.endStates([lowCreditState(link)]);
  }
  for (const key of await records.pendingUnlinks.keys(team)) await remove(records.pendingUnlinks, key);
  const mine = await records.instances.list(team);
  const keys = await records.instances.keys(team);
  // Ids are never reused: if the removal holds now, it holds for these instances for good.
  if (!(await records.inOneStep(mayForget))) return false;
  let inFlight = 0;
  for (const id of keys.map(nameIn)) {
    for (const send of await ledger.openSends(id)) {
      // Nobody reads the receipts of its texts: the bot can't post there any more.
      if (send.team === team) await ledger.stop(send.id);
    }
    inFlight += (await ledger.openSends(id)).length;
  }
  if (inFlight > 0) return false;
  for (const key of keys) await remove(records.instances, key);
  for (const instance of mine) await remove(records.accountInstances, accountInstancesKey(instance));
  for (const key of await records.keyHolders.keys(team)) await remove(records.keyHolders, key);
  await ledger.endStates(mine.flatMap(statesOfInstance));
  const inUse = new Set((await records.instances.list()).map(({ accountId }) => accountId));
  for (const { accountId } of mine) {
    if (!inUse.has(accountId)) await remove(records.prices, accountId);
  }
  await remove(records.workspaceRules, team);
  await remove(records.workspaces, team);
  return true;
}
