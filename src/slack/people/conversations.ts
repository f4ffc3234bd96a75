import type { ConversationsMembersResponse, UsersConversationsResponse, WebClient } from '@slack/web-api';
import { type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import { createShortCache } from '../../core/short-cache.ts';
import type { TeamCore } from '../../core/team-core.ts';
import { slackErrorOf } from '../connection/slack-error.ts';
import { AccessError } from './access.ts';

export interface Channel {
  id: string;
  name: string;
}

const KEEP_MS = 300_000;
/** The most that a page holds: docs.slack.dev/reference/methods/users.conversations. */
const PAGE = 999;

export type Conversations = ReturnType<typeof createConversations>;

/** What the bot needs to know about channels. All but `hasMember` throw an AccessError if Slack does not say it. */
export function createConversations({ web, core }: { web: WebClient; core: TeamCore }) {
  const recent = createShortCache<Channel[]>(KEEP_MS, () => performance.now());

  async function askForChannels(user: string, more = { exclude_archived: true }): Promise<Channel[]> {
    const asked = { user, types: 'public_channel,private_channel', limit: PAGE, ...more };
    const pages: UsersConversationsResponse[] = await Array.fromAsync(
      web.paginate('users.conversations', asked),
    ).catch(notSaid);
    const all = pages.flatMap(({ channels = [] }) => channels);
    return all.flatMap(({ id, name }) => (id ? [{ id, name: name ?? id }] : []));
  }

  /** Whether the channel is among the person's. Slack may not say so of people of other workspaces. */
  async function isListed(channel: string, user: string): Promise<boolean> {
    const theirs = await askForChannels(user, { exclude_archived: false }).catch(() => []);
    return theirs.some(({ id }) => id === channel);
  }

  return {
    /** Whether the bot can post there: it must be a member, since a private channel takes no other posts. */
    async botIsMember(channel: string): Promise<boolean> {
      try {
        const { channel: info } = await web.conversations.info({ channel });
        // Slack leaves this out for direct messages: the bot needs no membership there.
        return info?.is_member !== false;
      } catch (error) {
        // Slack hides private channels without the bot, and other people's direct messages, from the bot.
        if (slackErrorOf(error) === 'channel_not_found') return false;
        return notSaid(error);
      }
    },
    /** The linked channels that this person is in and may send from, by name. */
    async sendableBy(person: Person): Promise<Channel[]> {
      const links = await core.links.list();
      const open = new Set(links.filter((link) => !sendRefusal(person, link)).map((link) => link.channel));
      if (open.size === 0) return [];
      const channels = await askForChannels(person.id);
      return channels.filter(({ id }) => open.has(id)).sort((a, b) => a.name.localeCompare(b.name));
    },
    /** The channels that a person is in, as Slack said at most `maxAgeMs` ago. */
    channelsOf: (user: string, maxAgeMs: number): Promise<Channel[]> =>
      recent(user, () => askForChannels(user), maxAgeMs),
    /** Whether this person is in the channel now. @throws the error of Slack's conversations.members */
    async hasMember(channel: string, user: string): Promise<boolean> {
      const asked = { channel, limit: PAGE };
      const pages: AsyncIterable<ConversationsMembersResponse> = web.paginate('conversations.members', asked);
      let isFirst = true;
      for await (const { members, response_metadata } of pages) {
        if (members?.includes(user)) return true;
        // A large channel has many pages: the person's channels are fewer. Only the pages prove that somebody is not there.
        if (isFirst && response_metadata?.next_cursor && (await isListed(channel, user))) return true;
        isFirst = false;
      }
      return false;
    },
  };
}

function notSaid(cause: unknown): never {
  throw new AccessError({ cause });
}
