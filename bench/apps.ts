import { join } from 'node:path';
import { freePort } from '../local/free-port.ts';
import { START } from '../test/helpers/start-command.ts';
import type { World } from '../test/helpers/world.ts';
import { ACME_KEY } from '../test/helpers/world-steps.ts';
import { type AppProcess, startApp } from './app-process.ts';

const BARE = join(import.meta.dirname, 'bare-bolt.ts');

/** Starts the bot like a user, on the world's data folder. */
export function startBot({ environment }: World): Promise<AppProcess> {
  return startApp(START, environment, { port: Number(environment.PORT), path: '/readyz' });
}

/** Starts the bare app in the same workspace. Every command gets `answer`. */
export async function startBare(
  world: World,
  { answer = {}, asks = false }: { answer?: object; asks?: boolean } = {},
): Promise<AppProcess & { url: string }> {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: String(port),
    SIGNING_SECRET: world.signingSecret,
    BOT_TOKEN: world.environment.SLACK_BOT_TOKEN ?? '',
    SLACK_API: world.slack.apiUrl,
    ANSWER: JSON.stringify(answer),
    ASKS: String(asks),
    BALANCE_URL: `${world.service.url}/user/balance`,
    API_KEY: ACME_KEY,
  };
  const app = await startApp([process.execPath, BARE], env, { port, path: '/', anyStatus: true });
  return { ...app, url: `http://127.0.0.1:${port}/slack/events` };
}
