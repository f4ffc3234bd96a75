import type { TokenStanding } from '../../core/workspaces/find-gone.ts';
import { provesRefusal, slackErrorOf } from './slack-error.ts';
import { createWebClient, type SlackAccess } from './web-client.ts';
import { isDead } from './workspaces-of-token.ts';

/**
 * Asks Slack whether a token works: docs.slack.dev/reference/methods/auth.test. `tokenOf` may have to exchange it first; an
 * installation without one is gone. Rejects where Slack does not say.
 */
export async function standingOfToken(
  tokenOf: () => Promise<string | undefined>,
  slack: SlackAccess,
): Promise<TokenStanding> {
  try {
    const token = await tokenOf();
    if (token === undefined) return 'gone';
    await createWebClient(token, slack).auth.test();
    return 'works';
  } catch (error) {
    if (slackErrorOf(error) === undefined || !provesRefusal(error)) throw error;
    return isDead(error) ? 'gone' : 'refused';
  }
}
