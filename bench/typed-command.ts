import type { World } from '../test/helpers/world.ts';

/** What Slack says when a member types a command, but for what is another each time. */
export function typedCommand({ slack }: World, text: string): Record<string, string> {
  return {
    token: 'bench',
    team_id: slack.team.id,
    team_domain: slack.team.domain,
    channel_id: slack.channels.sales.id,
    channel_name: slack.channels.sales.name,
    user_id: slack.people.member.id,
    user_name: slack.people.member.name,
    command: '/sms',
    text,
    api_app_id: slack.bot.app_id,
    is_enterprise_install: 'false',
  };
}
