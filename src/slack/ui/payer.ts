import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { section } from './words.ts';

/** Of where a draft was asked for, the conversation. */
const Asked = z.object({ channel: z.string() });

/** First in a draft that was asked for elsewhere: the channel that sends and pays. Nothing in its own channel. */
export function payerLine({ channel, details }: { channel: string; details: { reply?: unknown } }): string[] {
  const asked = Asked.safeParse(details.reply).data?.channel;
  return asked === undefined || asked === channel ? [] : [`*Paid by <#${channel}>*: it is sent from there.`];
}

/** First in a form that was opened elsewhere: the channel that sends and pays, or that one has to be chosen. */
export function payerBlock(channels: readonly { id: string }[]): KnownBlock {
  const [only, ...others] = channels;
  return section(
    only && others.length === 0
      ? `*Paid by <#${only.id}>*: it is sent from there.`
      : 'Texts can’t be sent from here. Choose the channel that sends and pays.',
  );
}
