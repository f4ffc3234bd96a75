import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { findWorkspace } from '../../../src/slack/connection/ask-about-token.ts';

/** A Slack that gives this answer to auth.test: docs.slack.dev/reference/methods/auth.test. */
async function slackSaying(answer: object) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, user_id: 'U0BOT', bot_id: 'B0BOT', ...answer }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { apiUrl: `http://127.0.0.1:${port}/api/`, log: pino({ level: 'silent' }), onCall() {} };
}

test('the workspace is the token’s', async () => {
  const slack = await slackSaying({
    team_id: 'T1',
    team: 'One',
    enterprise_id: 'E1',
    is_enterprise_install: false,
  });
  expect(await findWorkspace('xoxb-1', slack)).toEqual({ team: 'T1', name: 'One', botUserId: 'U0BOT' });
});

test('a token of a whole organisation is refused: with it, everybody would be from elsewhere', async () => {
  const slack = await slackSaying({
    team_id: 'E1',
    team: 'Org',
    enterprise_id: 'E1',
    is_enterprise_install: true,
  });
  await expect(findWorkspace('xoxb-1', slack)).rejects.toThrow(
    /^SLACK_BOT_TOKEN belongs to a whole organisation.*SLACK_CLIENT_ID/,
  );
});
