import type { AuthTeamsListResponse, WebClient } from '@slack/web-api';
import { slackErrorOf } from './slack-error.ts';

/** Refusals of a token that may act nowhere any more. */
const DEAD = new Set(['token_revoked', 'account_inactive']);

/** Whether Slack says that the token of this call may act nowhere any more. */
export function isDead(error: unknown): boolean {
  return DEAD.has(slackErrorOf(error) ?? '');
}

/**
 * The workspaces that an organisation's token may act in: docs.slack.dev/reference/methods/auth.teams.list. Rejects
 * where Slack does not say.
 */
export async function workspacesOfToken(web: WebClient): Promise<Set<string>> {
  try {
    const pages: AuthTeamsListResponse[] = await Array.fromAsync(web.paginate('auth.teams.list'));
    return new Set(pages.flatMap(({ teams = [] }) => teams.flatMap(({ id }) => id ?? [])));
  } catch (error) {
    if (isDead(error)) return new Set();
    throw error;
  }
}
