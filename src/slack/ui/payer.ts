import type { KnownBlock, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { plain, section } from './blocks.ts';
import { FIELDS } from './ids.ts';
import { type FieldElement, field, MOST_OPTIONS, option, select } from './modal.ts';

type Channels = readonly { id: string; name: string }[];

const PLACEHOLDER = 'Choose a channel';

/** The conversation in which a draft was asked for. */
const Asked = z.object({ channel: z.string() });

/** First line of a draft that somebody asked for elsewhere: the channel that sends and pays. Undefined in that channel. */
export function payerLine({ channel, details }: SendView | JobView): string | undefined {
  const asked = Asked.safeParse(details.reply).data?.channel;
  return asked === undefined || asked === channel ? undefined : paidBy(channel);
}

/** First in a form that somebody opened elsewhere: `payer` sends and pays. Without it, the form offers `channels`. */
export function payerBlocks(payer: string | undefined, channels: Channels): KnownBlock[] {
  if (payer !== undefined) return [section(paidBy(payer))];
  const [only, ...others] = channels;
  if (!only) return [];
  const words = others.length === 0 ? paidBy(only.id) : 'Choose the channel that sends and pays.';
  const chosen = others.length === 0 ? only.id : undefined;
  // If a menu can't hold all channels, Slack asks us for matching ones as somebody types.
  const menu: FieldElement =
    channels.length > MOST_OPTIONS
      ? { type: 'external_select', placeholder: plain(PLACEHOLDER), min_query_length: 0 }
      : select({ options: channelOptions(channels) }, { placeholder: PLACEHOLDER, chosen });
  return [section(words), field(FIELDS.channel, 'Channel', menu)];
}

function paidBy(channel: string): string {
  return `*Paid by <#${channel}>*, and sent from there.`;
}

export const NO_LONGER_LINKED = 'Texts can’t be sent from this channel any more. Choose another one.';

/** Channels whose names contain `typed`, as many as a menu holds. */
export function channelOptions(channels: Channels, typed = ''): PlainTextOption[] {
  const part = typed.trim().replace(/^#/, '').toLowerCase();
  return channels
    .filter(({ name }) => name.toLowerCase().includes(part))
    .slice(0, MOST_OPTIONS)
    .map(({ id, name }) => option(id, `#${name}`));
}
