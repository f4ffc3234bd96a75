import { z } from 'zod';
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

/** Details of a row with a channel's news: who gets the news if the bot can't post in the channel. */
export const ChannelNews = z.object({
  /** User ids: who linked the channel, and the admins. */
  instead: z.array(z.string()).default([]),
  /** The person among them that this row is for. */
  reader: z.string().optional(),
});
export type ChannelNews = z.input<typeof ChannelNews>;

/** Who gets a channel's news if the bot can't post in the channel. */
export function readersInstead({ linkedBy }: { linkedBy: string }, admins: readonly string[]): string[] {
  return [...new Set([linkedBy, ...admins])];
}
