import { expect, test } from 'vitest';
import { once, type SlackRequest } from '../../../src/slack/requests/slack-request.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

test('a request that Slack delivers again is handled once', async () => {
  const seen = new Set<string>();
  const arrived = (request: string) =>
    ({ request, isFirst: async () => !seen.has(request) && seen.add(request) }) as unknown as SlackRequest;
  const handled: string[] = [];
  const handle = once(async (_deps, { request }) => void handled.push(request));
  for (const request of ['a', 'a', 'b', 'a']) await handle({} as SlackDeps, arrived(request));
  expect(handled).toEqual(['a', 'b']);
});
