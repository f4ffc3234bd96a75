import { z } from 'zod';

/** What the row of a channel's news keeps beside its words: the people who get it where the channel can't. */
export const ChannelNews = z.object({
  /** User ids: who linked the channel, and the admins. */
  instead: z.array(z.string()).default([]),
  /** The person among them that this row is for. */
  reader: z.string().optional(),
});
export type ChannelNews = z.input<typeof ChannelNews>;

/** Who gets a channel's news where the bot can't post in the channel. */
export function readersInstead({ linkedBy }: { linkedBy: string }, admins: readonly string[]): string[] {
  return [...new Set([linkedBy, ...admins])];
}
