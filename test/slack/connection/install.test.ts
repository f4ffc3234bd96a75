import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createInstallRoutes } from '../../../src/slack/connection/install.ts';

const APP = { clientId: '1.2', clientSecret: 'a secret', stateSecret: 'another secret' };

test.each([
  ['https://slack.com/api/', 'https://slack.com'],
  ['https://slack-gov.com/api/', 'https://slack-gov.com'],
  // A proxy of the Web API has no pages for people.
  ['https://slack-proxy.example/api/', 'https://slack.com'],
])('with the Web API at %s, people allow the app at %s', async (apiUrl, site) => {
  const slack = { apiUrl, log: pino({ level: 'silent' }), onCall() {} };
  const server = createServer(createInstallRoutes(APP, slack, async () => {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const begun = await fetch(`http://127.0.0.1:${port}/slack/install`, { redirect: 'manual' });
  const to = new URL(begun.headers.get('location') ?? '');
  expect(`${to.origin}${to.pathname}`).toBe(`${site}/oauth/v2/authorize`);
});
