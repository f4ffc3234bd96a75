import type { AuthTeamsListResponse, WebClient } from '@slack/web-api';
import { slackErrorOf } from './slack-error.ts';

/** Refusals of a token that may act nowhere any more. */
const DEAD = new Set(['token_revoked', 'account_inactive']);

/**
 * The workspaces that an organisation's token may act in: docs.slack.dev/reference/methods/auth.teams.list. Rejects
 * where Slack does not say.
 */
export async function workspacesOfToken(web: WebClient): Promise<Set<string>> {
  const found = new Set<string>();
  try {
    const pages: AsyncIterable<AuthTeamsListResponse> = web.paginate('auth.teams.list');
    for await (const { teams = [] } of pages) {
      for (const { id } of teams) if (id !== undefined) found.add(id);
    }
    return found;
  } catch (error) {
    if (DEAD.has(slackErrorOf(error) ?? '')) return new Set();
    throw error;
  }
}
