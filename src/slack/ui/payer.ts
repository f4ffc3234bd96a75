import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { section } from './blocks.ts';
import { channelField } from './channel-field.ts';

/** The conversation in which a draft was asked for. */
const Asked = z.object({ channel: z.string() });

/** First in a draft that was asked for elsewhere: the channel that sends and pays. Nothing in its own channel. */
export function payerLine({ channel, details }: { channel: string; details: { reply?: unknown } }): string[] {
  const asked = Asked.safeParse(details.reply).data?.channel;
  return asked === undefined || asked === channel ? [] : [paidBy(channel)];
}

/** First in a form that was opened elsewhere: `payer` sends and pays, or one of `channels`, which the form then offers. */
export function payerBlocks(
  payer: string | undefined,
  channels: readonly { id: string; name: string }[],
): KnownBlock[] {
  if (payer !== undefined) return [section(paidBy(payer))];
  const [only, ...others] = channels;
  if (!only) return [];
  const words = others.length === 0 ? paidBy(only.id) : 'Choose the channel that sends and pays.';
  return [section(words), channelField(channels)];
}

function paidBy(channel: string): string {
  return `*Paid by <#${channel}>*, and sent from there.`;
}
