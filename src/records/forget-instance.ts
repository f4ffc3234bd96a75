import type { Namespace } from './namespace.ts';
import { type AccountInstances, accountInstancesKey, type Instance, instanceKey } from './schema.ts';

/** Deletes the instance, with its key, and what names it. */
export async function forgetInstance(
  records: { instances: Namespace<Instance>; accountInstances: Namespace<AccountInstances> },
  instance: Pick<Instance, 'accountId' | 'team' | 'id'>,
): Promise<void> {
  await records.instances.delete(instanceKey(instance));
  await records.accountInstances.delete(accountInstancesKey(instance));
}
