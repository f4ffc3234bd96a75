import type { InstanceView } from './instance-view.ts';
import { OPERATOR } from './instances.ts';
import type { Links } from './links.ts';

/** The people to tell about an instance: configured admins, whoever added it, and whoever linked it to a channel. */
export async function whoToTell(
  { admins, links }: { admins: readonly string[]; links: Pick<Links, 'ofInstance'> },
  instance: InstanceView,
): Promise<Set<string>> {
  const linked = await links.ofInstance(instance);
  const people = new Set([...admins, ...linked.map((link) => link.linkedBy)]);
  if (instance.addedBy !== OPERATOR) people.add(instance.addedBy);
  return people;
}
