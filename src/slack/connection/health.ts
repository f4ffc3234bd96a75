import type { SlackCall } from './web-client.ts';

const TOKEN_REFUSED = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'team_access_not_granted',
]);
/** The bot asks Slack at most once in this time, in ms. */
const ASK_EVERY_MS = 1000;

/** Whether Slack answers, by the last call. If there are many tokens, a refused one is no trouble: others may work. */
export function createSlackHealth({ ofOneToken }: { ofOneToken: boolean }) {
  let trouble: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  return {
    note({ method, outcome, word = '' }: SlackCall): void {
      // Not the Web API: Slack answers at a response_url from another host.
      if (method === 'response_url') return;
      trouble = undefined;
      if (outcome === 'no_answer') trouble = 'no answer from the Web API to the last call';
      if (ofOneToken && TOKEN_REFUSED.has(word)) trouble = `the bot token is refused (${word})`;
    },
    /** What is wrong, in words. If something is, calls `ask`: its result reaches `note`, so trouble ends by itself. */
    trouble(ask: () => Promise<unknown>): string | undefined {
      if (trouble !== undefined && performance.now() - askedAt >= ASK_EVERY_MS) {
        askedAt = performance.now();
        // `note` has the result already.
        ask().catch(() => undefined);
      }
      return trouble;
    },
  };
}
