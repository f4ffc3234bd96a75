import { type AuthTeamsListResponse, WebClient } from '@slack/web-api';
import type { TokenState } from '../../core/workspaces/find-gone.ts';
import { provesRefusal, SlackStartError, slackErrorOf, UNSURE } from './slack-error.ts';
import { clientOptions, createWebClient, type SlackAccess, watchedFetch } from './web-client.ts';

/** How often to repeat the first call if Slack does not answer. The repeats take about six seconds. */
const START_RETRIES = 5;

const OF_ORGANISATION =
  'SLACK_BOT_TOKEN belongs to a whole organisation. Use the token of one workspace. To serve all of them, set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_STATE_SECRET instead, and let the organisation install the bot.';

/** Asks Slack which workspace the token is for. @throws SlackStartError when it is refused or Slack is out of reach */
export async function findWorkspace(botToken: string, { apiUrl, log, onCall }: SlackAccess) {
  // The call changes nothing, so the client may repeat it.
  const options = { ...clientOptions(apiUrl, log, START_RETRIES), fetch: watchedFetch(onCall) };
  try {
    const found = await new WebClient(botToken, options).auth.test();
    const { team_id: team, team: name, user_id: botUserId } = found;
    if (found.is_enterprise_install) throw new SlackStartError(OF_ORGANISATION);
    if (!team || !botUserId) throw new Error('the answer names no workspace');
    return { team, name: name ?? team, botUserId };
  } catch (error) {
    if (error instanceof SlackStartError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SlackStartError(startSentence(slackErrorOf(error), reason, apiUrl), { cause: error });
  }
}

/** @param word Slack's word, if it gave one */
function startSentence(word: string | undefined, reason: string, apiUrl: string): string {
  if (word === undefined)
    return `Slack can't be reached at ${apiUrl} (${reason}): check the network, and SLACK_API_URL if it is set.`;
  if (UNSURE.has(word))
    return `Slack fails at the moment (${reason}): try again later; status.slack.com may say more.`;
  return `Slack does not take the bot token (${reason}): check SLACK_BOT_TOKEN (api.slack.com/apps → your app → OAuth & Permissions).`;
}

/** Asks Slack whether a token works. If there is no token, the installation is gone. Rejects without a clear answer. */
export async function stateOfToken(
  tokenOf: () => Promise<string | undefined>,
  slack: SlackAccess,
): Promise<TokenState> {
  try {
    const token = await tokenOf();
    if (token === undefined) return 'gone';
    await createWebClient(token, slack).auth.test();
    return 'works';
  } catch (error) {
    if (slackErrorOf(error) === undefined || !provesRefusal(error)) throw error;
    return DEAD.has(slackErrorOf(error) ?? '') ? 'gone' : 'refused';
  }
}

/** Slack's words for a token that works nowhere any more. */
const DEAD = new Set(['token_revoked', 'account_inactive']);

/** The workspaces of an organisation's token: docs.slack.dev/reference/methods/auth.teams.list. May reject. */
export async function workspacesOfToken(web: WebClient): Promise<Set<string>> {
  try {
    const pages: AuthTeamsListResponse[] = await Array.fromAsync(web.paginate('auth.teams.list'));
    return new Set(pages.flatMap(({ teams = [] }) => teams.flatMap(({ id }) => id ?? [])));
  } catch (error) {
    if (DEAD.has(slackErrorOf(error) ?? '')) return new Set();
    throw error;
  }
}
