import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { plain, section } from './blocks.ts';
import { FIELDS } from './ids.ts';
import { field, MOST_OPTIONS, OPTION_MAX, option, select } from './modal.ts';
import { cut } from './safe-text.ts';
import { inGroups } from './words.ts';

type Channels = readonly { id: string; name: string }[];

/** A menu of more channels would make a form too large for Slack. `/sms send` works in all of them. */
const MOST_CHANNELS = 1000;

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
  const menu = select(choicesOf(channels), { placeholder: 'Choose a channel', chosen });
  return [section(words), field(FIELDS.channel, 'Channel', menu)];
}

/** In groups if there are more than one menu's options. `channels` are in the order of their names. */
function choicesOf(channels: Channels): Parameters<typeof select>[0] {
  const options = channels.slice(0, MOST_CHANNELS).map(({ id, name }) => option(id, `#${name}`));
  if (options.length <= MOST_OPTIONS) return { options };
  const labelOf = (group: typeof options) => cut(`From ${group[0]?.text.text ?? ''}`, OPTION_MAX);
  const groups = inGroups(options, MOST_OPTIONS);
  return { option_groups: groups.map((group) => ({ label: plain(labelOf(group)), options: group })) };
}

function paidBy(channel: string): string {
  return `*Paid by <#${channel}>*, and sent from there.`;
}

export const NO_LONGER_LINKED = 'Texts can’t be sent from this channel any more. Choose another one.';
