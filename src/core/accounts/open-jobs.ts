import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/types.ts';
import type { Instances } from './instances.ts';

/**
 * The jobs of a workspace that run, are paused, or have something on its way. It asks all instances: a channel may have
 * been linked to another one since its job began.
 */
export async function openJobsOf(
  { ledger, instances }: { ledger: Pick<Ledger, 'openSends'>; instances: Pick<Instances, 'list'> },
  team: string,
): Promise<SendRecord[]> {
  const all = await instances.list(team);
  const sends = await Promise.all(all.map(({ id }) => ledger.openSends(id)));
  return sends.flat().filter(({ kind }) => kind === 'job');
}
