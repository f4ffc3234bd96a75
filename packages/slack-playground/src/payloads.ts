import { newId } from './ids.ts';
import type { App } from './seeds.ts';
import type { Channel, Ephemeral, Json, Message, StateValues, Team, User, View } from './types.ts';

/** How a payload travels; the names are Socket Mode's. */
export type EnvelopeType = 'slash_commands' | 'interactive' | 'events_api';

/** What Slack tells the app. Source: docs.slack.dev/reference/interaction-payloads. */
export type Payloads = ReturnType<typeof createPayloads>;

/**
 * Slack hands over people's text with these three as entities. Source:
 * docs.slack.dev/messaging/formatting-message-text.
 */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const VERIFICATION_TOKEN = 'playground';

/** A channel's name as payloads have it. */
function payloadName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}

/** `fileJson`: a file by its id, as Slack describes it. */
export function createPayloads(team: Team, app: App, fileJson: (id: string) => Json) {
  const base = (user: User) => ({
    team: { id: team.id, domain: team.domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.team_id },
    api_app_id: app.app_id,
    token: VERIFICATION_TOKEN,
    enterprise: null,
    is_enterprise_install: false,
  });
  const channelOf = (channel: Channel) => ({ id: channel.id, name: payloadName(channel) });

  /** A message as payloads have it. */
  function messageOf(message: Message): Json {
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const { user, text, ts, blocks } = message;
    const files = message.files ? { files: message.files.map(({ id }) => fileJson(id)) } : {};
    const bot = user === app.user_id ? { bot_id: app.bot_id, app_id: app.app_id } : {};
    return { type: 'message', user, text, ts, team: team.id, blocks, ...files, ...bot, ...thread };
  }

  return {
    command: (at: {
      user: User;
      channel: Channel;
      command: string;
      text: string;
      triggerId: string;
      responseUrl: string;
    }): Json => ({
      token: VERIFICATION_TOKEN,
      team_id: team.id,
      team_domain: team.domain,
      channel_id: at.channel.id,
      channel_name: payloadName(at.channel),
      user_id: at.user.id,
      user_name: at.user.name,
      command: at.command,
      text: escapeText(at.text),
      api_app_id: app.app_id,
      is_enterprise_install: 'false',
      response_url: at.responseUrl,
      trigger_id: at.triggerId,
    }),

    messageAction: (at: {
      user: User;
      channel: Channel;
      message: Message | Ephemeral;
      action: Json;
      values: StateValues;
      triggerId: string;
      responseUrl: string;
    }): Json => ({
      type: 'block_actions',
      ...base(at.user),
      container: {
        type: 'message',
        message_ts: at.message.ts,
        channel_id: at.channel.id,
        is_ephemeral: 'to' in at.message,
      },
      trigger_id: at.triggerId,
      channel: channelOf(at.channel),
      // The app does not get what only one person sees.
      ...('to' in at.message ? {} : { message: messageOf(at.message) }),
      state: { values: at.values },
      response_url: at.responseUrl,
      actions: [at.action],
    }),

    viewAction: (at: { user: User; view: View; action: Json; triggerId: string }): Json => ({
      type: 'block_actions',
      ...base(at.user),
      container: { type: 'view', view_id: at.view.id },
      trigger_id: at.triggerId,
      view: at.view,
      actions: [at.action],
    }),

    submission: (at: { user: User; view: View; triggerId: string; responseUrls: Json[] }): Json => ({
      type: 'view_submission',
      ...base(at.user),
      trigger_id: at.triggerId,
      view: at.view,
      response_urls: at.responseUrls,
    }),

    closed: (at: { user: User; view: View; isCleared: boolean }): Json => ({
      type: 'view_closed',
      ...base(at.user),
      view: at.view,
      is_cleared: at.isCleared,
    }),

    suggestion: (at: {
      user: User;
      view: View;
      block_id: string;
      action_id: string;
      value: string;
    }): Json => ({
      type: 'block_suggestion',
      ...base(at.user),
      container: { type: 'view', view_id: at.view.id },
      action_id: at.action_id,
      block_id: at.block_id,
      value: at.value,
      view: at.view,
    }),

    shortcut: (at: { user: User; callback_id: string; triggerId: string; actionTs: string }): Json => ({
      type: 'shortcut',
      ...base(at.user),
      callback_id: at.callback_id,
      trigger_id: at.triggerId,
      action_ts: at.actionTs,
    }),

    messageShortcut: (at: {
      user: User;
      channel: Channel;
      message: Message;
      callback_id: string;
      triggerId: string;
      actionTs: string;
      responseUrl: string;
    }): Json => ({
      type: 'message_action',
      ...base(at.user),
      callback_id: at.callback_id,
      trigger_id: at.triggerId,
      action_ts: at.actionTs,
      response_url: at.responseUrl,
      message_ts: at.message.ts,
      channel: channelOf(at.channel),
      message: messageOf(at.message),
    }),

    event: (event: Json, seconds: number): Json => ({
      token: VERIFICATION_TOKEN,
      team_id: team.id,
      api_app_id: app.app_id,
      event,
      type: 'event_callback',
      event_id: newId('Ev'),
      event_time: seconds,
      authorizations: [
        {
          enterprise_id: null,
          team_id: team.id,
          user_id: app.user_id,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
    }),
  };
}
