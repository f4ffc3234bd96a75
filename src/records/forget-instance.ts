import type { Namespace } from './namespace.ts';
import { type AccountInstances, accountInstancesKey, type Instance, instanceKey } from './schema.ts';

/** Deletes the instance with its key, then the record that names it. */
export async function forgetInstance(
  {
    instances,
    accountInstances,
  }: { instances: Namespace<Instance>; accountInstances: Namespace<AccountInstances> },
  instance: Pick<Instance, 'accountId' | 'team' | 'id'>,
): Promise<void> {
  await instances.delete(instanceKey(instance));
  await accountInstances.delete(accountInstancesKey(instance));
}
