import type { KnownBlock } from '@slack/types';
import { FIELDS } from './ids.ts';
import { field, option, select } from './modal.ts';

/** Slack's limit of options in a menu. */
const MOST_CHANNELS = 100;

/** What is wrong with the chosen channel: plain text. */
export const NO_LONGER_LINKED = 'Texts can’t be sent from this channel any more. Choose another one.';

/** The channel that texts are sent from, where a form has none of its own. */
export function channelField(channels: readonly { id: string; name: string }[]): KnownBlock {
  const options = channels.slice(0, MOST_CHANNELS).map(({ id, name }) => option(id, `#${name}`));
  const chosen = channels.length === 1 ? channels[0]?.id : undefined;
  return field(
    FIELDS.channel,
    'Channel',
    select(FIELDS.channel, { options }, { placeholder: 'Choose a channel', chosen }),
    { hint: 'Its instance pays for what is sent.' },
  );
}
