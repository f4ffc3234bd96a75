import { newId } from './ids.ts';
import type { App } from './seeds.ts';
import type { Channel, Ephemeral, Json, Message, Team, User, View } from './types.ts';

/** A payload, and the type of its envelope in Socket Mode. */
export interface Envelope {
  type: 'slash_commands' | 'interactive' | 'events_api';
  payload: Json;
}

/** Makes the payloads that Slack sends to the app. Source: docs.slack.dev/reference/interaction-payloads. */
export type Payloads = ReturnType<typeof createPayloads>;

/**
 * Escapes & < > in what people type, as Slack does. Source: docs.slack.dev/messaging/formatting-message-text.
 */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * The same in the plain words of messages and views, which Slack hands back as it keeps them. Sources:
 * github.com/slackapi/bolt-python/issues/513, github.com/NousResearch/hermes-agent/pull/61697.
 */
const escapedWords = (fields: Json): Json =>
  JSON.parse(JSON.stringify(fields), (_name, part) =>
    part?.type === 'plain_text' ? { ...part, text: escapeText(part.text) } : part,
  );

const VERIFICATION_TOKEN = 'playground';

/** Slack's payloads call a direct message `directmessage`, and a private channel `privategroup`. */
function payloadName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}

/** `fileJson` returns the file object for an id. */
export function createPayloads(team: Team, app: App, fileJson: (id: string) => Json) {
  const base = (user: User) => ({
    team: { id: team.id, domain: team.domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.team_id },
    api_app_id: app.app_id,
    token: VERIFICATION_TOKEN,
    enterprise: null,
    is_enterprise_install: false,
  });

  function messageOf(message: Message): Json {
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const { user, text, ts, blocks } = message;
    const files = message.files ? { files: message.files.map(({ id }) => fileJson(id)) } : {};
    const bot = user === app.user_id ? { bot_id: app.bot_id, app_id: app.app_id } : {};
    return { type: 'message', user, text, ts, team: team.id, blocks, ...files, ...bot, ...thread };
  }

  return {
    command: (
      user: User,
      channel: Channel,
      typed: { command: string; text: string; trigger_id: string; response_url: string },
    ): Envelope => ({
      type: 'slash_commands',
      payload: {
        token: VERIFICATION_TOKEN,
        team_id: team.id,
        team_domain: team.domain,
        channel_id: channel.id,
        channel_name: payloadName(channel),
        user_id: user.id,
        user_name: user.name,
        api_app_id: app.app_id,
        is_enterprise_install: 'false',
        ...typed,
        text: escapeText(typed.text),
      },
    }),

    /**
     * A person has used an element, a form or a shortcut. `type` is Slack's interaction type, such as `block_actions`.
     * `fields` are the extra fields of that type.
     */
    interaction: (type: string, user: User, fields: Json): Envelope => ({
      type: 'interactive',
      payload: { type, ...base(user), ...escapedWords(fields) },
    }),

    /** The fields of an interaction in a view. */
    inView: (view: View) => ({ container: { type: 'view', view_id: view.id }, view }),

    /** The fields of an interaction with a message. Leaves out an ephemeral message, as Slack does. */
    ofMessage: (channel: Channel, message: Message | Ephemeral) => ({
      channel: { id: channel.id, name: payloadName(channel) },
      ...('to' in message ? {} : { message: messageOf(message) }),
    }),

    /** `eventTime`: seconds since 1970. */
    event: (event: Json, eventTime: number): Envelope => ({
      type: 'events_api',
      payload: {
        token: VERIFICATION_TOKEN,
        team_id: team.id,
        api_app_id: app.app_id,
        event,
        type: 'event_callback',
        event_id: newId('Ev'),
        event_time: eventTime,
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
      },
    }),
  };
}
