import type { RequestListener } from 'node:http';
import { HTTPReceiver, type Installation } from '@slack/bolt';
import type { NewInstallation } from '../../core/workspaces/installations.ts';
import type { Tokens } from '../../core/workspaces/tokens.ts';
import { boltLogger, clientOptions, createWebClient, type SlackAccess, watchedFetch } from './web-client.ts';

/** How the app identifies itself to Slack, if workspaces install it themselves. */
export interface OAuthApp {
  clientId: string;
  clientSecret: string;
  /** Signs the state that a browser carries to Slack and back. */
  stateSecret: string;
}

/** The rights that the bot asks for; the manifests say why. */
export const SCOPES = [
  'commands',
  'chat:write',
  'users:read',
  'im:write',
  'channels:read',
  'groups:read',
  'files:read',
  'files:write',
];

/** Slack for the public sector of the USA: docs.slack.dev/govslack. Its people allow the app there, not at slack.com. */
const GOV_SLACK = 'https://slack-gov.com';

/** Serves GET /slack/install and /slack/oauth_redirect: docs.slack.dev/authentication/installing-with-oauth. */
export function createInstallRoutes(
  oauth: OAuthApp,
  { apiUrl, log, onCall }: SlackAccess,
  save: (made: NewInstallation) => Promise<void>,
): RequestListener {
  const receiver = new HTTPReceiver({
    ...oauth,
    scopes: SCOPES,
    // This receiver takes none of Slack's signed requests.
    endpoints: [],
    signatureVerification: false,
    signingSecret: '',
    logger: boltLogger(log),
    installerOptions: {
      directInstall: true,
      ...(new URL(apiUrl).origin === GOV_SLACK && { authorizationUrl: `${GOV_SLACK}/oauth/v2/authorize` }),
      clientOptions: { ...clientOptions(apiUrl, log, 0), fetch: watchedFetch(onCall) },
    },
    installationStore: {
      storeInstallation: (installation) => save(readInstallation(installation)),
      fetchInstallation: async () => {
        throw new Error('installations are read elsewhere');
      },
    },
  });
  return receiver.requestListener;
}

function readInstallation(installation: Installation): NewInstallation {
  const { bot, isEnterpriseInstall = false } = installation;
  const where = isEnterpriseInstall ? installation.enterprise : installation.team;
  if (!bot || !where) throw new Error('Slack names no bot, or nowhere that it is installed');
  return {
    id: where.id,
    isOrgWide: isEnterpriseInstall,
    name: where.name ?? where.id,
    botUserId: bot.userId,
    tokens: {
      bot: bot.token,
      ...(bot.refreshToken === undefined ? {} : { refresh: bot.refreshToken }),
      ...(bot.expiresAt === undefined ? {} : { expiresAt: bot.expiresAt * 1000 }),
    },
  };
}

/** Exchanges refresh tokens: docs.slack.dev/authentication/using-token-rotation. Rejects with Slack's refusal. */
export function createTokenExchange(
  { clientId, clientSecret }: OAuthApp,
  slack: SlackAccess,
): (refreshToken: string) => Promise<Tokens> {
  const web = createWebClient(undefined, slack);
  return async (refreshToken) => {
    const answer = await web.oauth.v2.access({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    const { access_token: bot, refresh_token: refresh, expires_in: seconds } = answer;
    if (!bot || !refresh || seconds === undefined) throw new Error('Slack’s answer holds no tokens');
    return { bot, refresh, expiresAt: Date.now() + seconds * 1000 };
  };
}
