import type { World } from '../test/helpers/world.ts';

/** The fields that Slack posts when a member types a command, without those that differ each time. */
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

/** The fields that Slack posts when a member presses a button under an answer in the same channel. */
export function pressedButton(
  { slack }: World,
  responseUrl: string,
  { action_id, value }: { action_id: string; value: string },
): Record<string, string> {
  const { id: user, name } = slack.people.member;
  const { id: channel, name: channelName } = slack.channels.sales;
  const payload = {
    type: 'block_actions',
    api_app_id: slack.bot.app_id,
    token: 'bench',
    team: { id: slack.team.id, domain: slack.team.domain },
    user: { id: user, name, username: name, team_id: slack.team.id },
    channel: { id: channel, name: channelName },
    container: { type: 'message', message_ts: '1700000000.000100', channel_id: channel, is_ephemeral: true },
    trigger_id: responseUrl,
    response_url: responseUrl,
    actions: [{ type: 'button', block_id: 'bench', action_id, value, action_ts: responseUrl }],
  };
  return { payload: JSON.stringify(payload) };
}
