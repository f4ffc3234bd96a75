import type { Ledger } from '../../ledger/ledger.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { isUnderWay } from '../../ledger/model/send-states.ts';
import type { Instance, Instances } from './instances.ts';

/** Jobs that run, are paused, or have a request in flight. Of all instances: a channel may use another one now. */
export async function openJobsOf(
  { ledger, instances }: { ledger: Pick<Ledger, 'openSends'>; instances: Pick<Instances, 'list'> },
  team: string,
): Promise<SendRecord[]> {
  const all = await instances.list(team);
  const sends = await Promise.all(all.map(({ id }) => ledger.openSends(id)));
  return sends.flat().filter(({ kind }) => kind === 'job');
}

/** The running and paused jobs of all instances that pay from an account. */
export async function openJobsOfAccount(
  { ledger, instances }: { ledger: Pick<Ledger, 'openSends'>; instances: Pick<Instances, 'ofAccount'> },
  accountId: string,
): Promise<{ instance: Instance; job: SendRecord }[]> {
  const all = await instances.ofAccount(accountId);
  const found = all.map(async (instance) => {
    const sends = await ledger.openSends(instance.id);
    return sends.filter(isOpenJob).map((job) => ({ instance, job }));
  });
  return (await Promise.all(found)).flat();
}

/** Whether a send is a job that runs or is paused. */
export function isOpenJob({ kind, state }: SendRecord): boolean {
  return kind === 'job' && isUnderWay(state);
}
