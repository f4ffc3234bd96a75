import type { SlackCall } from './web-client.ts';

/** Slack refuses the token itself, so every call fails. */
const TOKEN_REFUSED = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'team_access_not_granted',
]);
/** However often we are asked, we ask Slack at most once in this time, in ms. */
const ASK_EVERY_MS = 1000;

/**
 * Whether Slack answers, by the last call to its Web API.
 * @param ofOneToken all calls are made with the same token; of many, one that is refused says nothing of the others
 */
export function createSlackHealth({ ofOneToken }: { ofOneToken: boolean }) {
  let trouble: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  return {
    note({ outcome, word = '' }: SlackCall): void {
      trouble = undefined;
      if (outcome === 'no_answer') trouble = 'no answer from the Web API to the last call';
      if (ofOneToken && TOKEN_REFUSED.has(word)) trouble = `the bot token is refused (${word})`;
    },
    /**
     * What is wrong, in words. In the background `ask` asks Slack again, so the trouble ends by itself.
     * @param ask makes a call of the Web API that changes nothing, and that `note` hears of
     */
    trouble(ask: () => Promise<unknown>): string | undefined {
      if (trouble !== undefined && performance.now() - askedAt >= ASK_EVERY_MS) {
        askedAt = performance.now();
        // `note` has heard how it went; another failure is no news.
        ask().catch(() => undefined);
      }
      return trouble;
    },
  };
}
