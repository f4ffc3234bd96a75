import type { WebClient } from '@slack/web-api';
import { expandEmoji } from '../../core/texts/emoji.ts';
import { unwrapSlackText } from '../requests/command-text.ts';
import { escaped } from '../ui/safe-text.ts';

/** Mentions of people, channels and groups: docs.slack.dev/messaging/formatting-message-text. */
const MENTION = /<(@|#|!subteam\^)([A-Z0-9]+)(?:\|([^<>]*))?>/g;
/** Links with words of their own, or with the address as it was typed. */
const LINK = /<(?:mailto:([^<>|]+)|(https?:\/\/[^<>|]+))\|([^<>]+)>/g;
const MOST_NAMES = 20;
/** For a name that Slack does not tell. */
const UNNAMED: { [mark: string]: string } = { '@': 'someone', '#': 'channel', '!subteam^': 'group' };

/**
 * A message's words as somebody would type them: names for mentions, addresses for links, characters for emoji. A link's
 * own words keep their address in brackets, since a text has no links behind words.
 */
export async function plainWords(web: WebClient, text: string): Promise<string> {
  const asked = new Map<string, Promise<string | undefined>>();
  for (const [, mark, id = '', label] of text.matchAll(MENTION)) {
    if (!label && asked.size < MOST_NAMES && !asked.has(id)) asked.set(id, nameOf(web, mark, id));
  }
  const found = await Promise.all([...asked].map(async ([id, name]) => [id, await name] as const));
  const names = new Map(found);
  const named = text.replace(MENTION, (_, mark: string, id: string, label?: string) => {
    const name = label || escaped(names.get(id) ?? UNNAMED[mark] ?? '');
    return `${mark === '#' ? '#' : '@'}${name.replace(/^[@#]/, '')}`;
  });
  const linked = named.replace(LINK, (link, mail: string | undefined, url: string, label: string) => {
    const address = mail ?? url;
    return bare(label) === bare(address) ? link : `${label} (${address})`;
  });
  return expandEmoji(unwrapSlackText(linked)).text;
}

/** An address without what Slack adds to a typed one. */
function bare(address: string): string {
  return address.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}

/** Undefined if Slack does not tell: then the words name nobody. */
async function nameOf(web: WebClient, mark: string | undefined, id: string): Promise<string | undefined> {
  try {
    if (mark === '#') {
      const { channel } = await web.conversations.info({ channel: id });
      // The bot may be in a private channel that the person does not know of.
      return channel?.is_private ? undefined : channel?.name;
    }
    if (mark !== '@') return undefined;
    const { user } = await web.users.info({ user: id });
    return user?.profile?.display_name || user?.real_name || user?.name;
  } catch {
    return undefined;
  }
}
