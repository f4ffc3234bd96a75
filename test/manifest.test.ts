import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SCOPES } from '../src/slack/connection/install.ts';
import { SHORTCUTS } from '../src/slack/ui/ids.ts';

/** The parts of a manifest that the bot uses, with Slack's limits. The schema is strict, so it finds misspelt names. */
const slashCommand = z.strictObject({
  command: z.string().regex(/^\/[a-z][a-z-]{0,31}$/),
  url: z.url({ protocol: /^https$/ }).optional(),
  description: z.string().min(1).max(2000),
  usage_hint: z.string().max(1000),
  should_escape: z.literal(false),
});

const shortcut = z.strictObject({
  name: z.string().min(1).max(24),
  type: z.enum(['global', 'message']),
  callback_id: z.string().min(1).max(255),
  description: z.string().min(1).max(150),
});

const manifest = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(1) }),
  display_information: z.strictObject({
    name: z.string().min(1).max(35),
    description: z.string().min(1).max(140),
    long_description: z.string().min(175).max(4000),
    background_color: z.string().regex(/^#[0-9a-f]{6}$/),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({ display_name: z.string().min(1).max(80), always_online: z.boolean() }),
    shortcuts: z.array(shortcut).max(10),
    slash_commands: z.array(slashCommand).max(50),
  }),
  oauth_config: z.strictObject({
    redirect_urls: z.array(z.url({ protocol: /^https$/ })).optional(),
    scopes: z.strictObject({ bot: z.array(z.string()) }),
  }),
  settings: z.strictObject({
    interactivity: z.strictObject({
      is_enabled: z.literal(true),
      request_url: z.url({ protocol: /^https$/ }).optional(),
    }),
    event_subscriptions: z.strictObject({
      request_url: z.url({ protocol: /^https$/ }).optional(),
      bot_events: z.array(z.string()),
    }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

/** Matches a list's entry that has its reason on its line. */
function reasonOf(entry: string): RegExp {
  return new RegExp(`^ *- ${entry} # [a-z].{10,}$`, 'm');
}

function read(path: string) {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  return { text, parsed: manifest.parse(parse(text)) };
}

describe.each(['manifest.yml', 'docs/manifest.http.yml'])('%s', (path) => {
  const { text, parsed } = read(path);

  it('offers /sms', () => {
    expect(parsed.display_information.name).toBe('Switchboard');
    expect(parsed.features.slash_commands).toMatchObject([
      { command: '/sms', usage_hint: 'send | bulk | balance | status | help' },
    ]);
  });

  it('offers the shortcuts that the bot answers', () => {
    expect(parsed.features.shortcuts.map(({ name, type, callback_id }) => [name, type, callback_id])).toEqual(
      [
        ['Write a text', 'global', SHORTCUTS.writeText],
        ['Text a list', 'global', SHORTCUTS.textList],
        ['Text this message', 'message', SHORTCUTS.textMessage],
        ['Text this list', 'message', SHORTCUTS.textMessageList],
        ['Stop texting this number', 'message', SHORTCUTS.stopTexting],
      ],
    );
  });

  it('shows a Home tab', () => {
    expect(parsed.features.app_home.home_tab_enabled).toBe(true);
    expect(parsed.settings.event_subscriptions.bot_events).toContain('app_home_opened');
  });

  it('asks for few scopes, each with its reason', () => {
    const scopes = [
      ...['commands', 'chat:write', 'users:read', 'im:write', 'channels:read', 'groups:read'],
      ...['files:read', 'files:write'],
    ];
    expect(parsed.oauth_config.scopes.bot).toEqual(scopes);
    expect(SCOPES).toEqual(scopes);
    for (const scope of scopes) expect(text).toMatch(reasonOf(scope));
  });
});

describe('the two manifests', () => {
  const socket = read('manifest.yml').parsed;
  const http = read('docs/manifest.http.yml').parsed;

  it('differ in how Slack reaches the bot, and in nothing else', () => {
    const { request_url: interactions, ...interactivity } = http.settings.interactivity;
    const { event_subscriptions: events, ...settings } = http.settings;
    const { event_subscriptions: socketEvents, ...socketSettings } = socket.settings;
    const { redirect_urls: redirects, ...oauth } = http.oauth_config;
    expect(events.request_url).toBe(interactions);
    expect(socketEvents).toEqual({ bot_events: ['app_home_opened'] });
    expect(redirects?.map((url) => new URL(url))).toMatchObject([
      { host: new URL(interactions ?? '').host, pathname: '/slack/oauth_redirect' },
    ]);
    const commands = http.features.slash_commands.map(({ url, ...command }) => {
      expect(url).toBe(interactions);
      return command;
    });
    expect(new URL(interactions ?? '').pathname).toBe('/slack/events');
    expect({
      ...http,
      features: { ...http.features, slash_commands: commands },
      oauth_config: oauth,
      settings: { ...settings, interactivity, socket_mode_enabled: true },
    }).toEqual({ ...socket, settings: socketSettings });
    expect(http.settings.socket_mode_enabled).toBe(false);
  });

  it('the manifest for HTTP also asks for the events of a workspace that leaves; each event has its reason', () => {
    const { parsed, text } = read('docs/manifest.http.yml');
    const events = ['app_home_opened', 'app_uninstalled', 'tokens_revoked', 'team_access_revoked'];
    expect(parsed.settings.event_subscriptions.bot_events).toEqual(events);
    expect(read('manifest.yml').text).toMatch(reasonOf('app_home_opened'));
    for (const event of events) expect(text).toMatch(reasonOf(event));
  });
});
