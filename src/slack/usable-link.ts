import type { Linked } from '../core/accounts/links.ts';
import { mayAdminister, type Person, sendRefusal } from '../core/accounts/permissions.ts';
import { AccessError } from './access.ts';
import { slackErrorOf } from './connection/slack-error.ts';
import type { SlackDeps } from './deps.ts';
import { membersUnknown, notInChannel, notLinked, sendRefused } from './ui/refusals.ts';
import type { Message } from './ui/words.ts';

/** The channel's link where this person may use it; else the sentence that says why not. */
export async function usableLink(
  { core }: SlackDeps,
  person: Person,
  channel: string,
): Promise<{ linked: Linked } | { refusal: Message }> {
  const linked = await core.links.find(person.team, channel);
  if (!linked) return { refusal: await notLinkedFor({ core }, person) };
  const why = sendRefusal(person, linked.link);
  return why ? { refusal: sendRefused(why, linked.link) } : { linked };
}

/**
 * Why this person may not act for a channel: they must be in it now, not only when a form was opened or a button was
 * shown. Undefined when they may. @throws AccessError when Slack doesn't answer
 */
export async function notThere(
  { conversations }: Pick<SlackDeps, 'conversations'>,
  person: Person,
  channel: string,
): Promise<Message | undefined> {
  try {
    return (await conversations.hasMember(channel, person.id)) ? undefined : notInChannel(channel);
  } catch (error) {
    // A private channel that the bot was put out of: Slack does not say who is in it.
    if (slackErrorOf(error) === 'channel_not_found') return membersUnknown(channel);
    throw new AccessError({ cause: error });
  }
}

/** "Not linked", with whom to ask: those who linked other channels of this workspace. */
export async function notLinkedFor({ core }: Pick<SlackDeps, 'core'>, person: Person): Promise<Message> {
  const links = await core.links.list(person.team);
  const admins = [...new Set(links.map((link) => link.linkedBy))].slice(0, 5);
  return notLinked({ isAdmin: mayAdminister(person), admins });
}
