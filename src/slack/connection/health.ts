import type { SlackCall } from './web-client.ts';

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

/** Whether Slack answers, by its last call. Of many tokens, one that is refused says nothing of the others. */
export function createSlackHealth({ ofOneToken }: { ofOneToken: boolean }) {
  let trouble: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  return {
    note({ outcome, word = '' }: SlackCall): void {
      trouble = undefined;
      if (outcome === 'no_answer') trouble = 'no answer from the Web API to the last call';
      if (ofOneToken && TOKEN_REFUSED.has(word)) trouble = `the bot token is refused (${word})`;
    },
    /** What is wrong, in words. It asks Slack again by `ask`, which `note` hears of: so trouble ends by itself. */
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
