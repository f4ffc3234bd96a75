import { ActionProblem } from './action-problem.ts';
import { nameOf } from './screen.ts';
import type { Playground } from './server.ts';
import type { Channel, User } from './types.ts';

/** Slack's own command that adds people, and the app, to a channel. */
export const INVITE = {
  word: '/invite',
  hint: '@name',
  description: 'Add somebody, or the app, to this channel',
  for: 'staff',
} as const;

/** Adds the people that `text` names, and says so in the channel. If it throws an ActionProblem, it adds nobody. */
export function invite(
  slack: Playground,
  { user, channel, text }: { user: User; channel: Channel; text: string },
): void {
  if (user.is_restricted || user.is_stranger)
    throw new ActionProblem('Only members of this workspace can invite.');
  if (channel.kind === 'im') throw new ActionProblem('Nobody can be added to a direct message.');
  const all = [slack.user(slack.bot.user_id) as User, ...Object.values(slack.people)];
  const called = (name: string) =>
    all.find((one) => nameOf(one).toLowerCase() === name.replace(/^@/, '').toLowerCase());
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  if (names.length === 0) throw new ActionProblem('Who? Type a name too, such as /invite @ana.');
  const invited = names.map((name) => {
    const one = called(name);
    const there = all.map((each) => `@${nameOf(each)}`).join(', ');
    if (!one) throw new ActionProblem(`Nobody here is called ${name}. There are ${there}.`);
    if (channel.members.includes(one.id))
      throw new ActionProblem(`@${nameOf(one)} is in #${channel.name} already.`);
    if (one.is_stranger && !channel.is_ext_shared)
      throw new ActionProblem(
        `@${nameOf(one)} is from another workspace, and #${channel.name} is not shared.`,
      );
    return one;
  });
  for (const { id } of invited) slack.join(channel.id, id);
  const added = [...new Set(invited)].map((one) => `@${nameOf(one)}`).join(', ');
  slack.say({ user, channel, text: `added ${added} to #${channel.name}.` });
}
