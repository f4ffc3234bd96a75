import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../local/free-port.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { ask, link } from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

const CERTIFICATE = join(import.meta.dirname, '../sms/helpers/tls/localhost.cert.pem');
const newWorld = worldsOfFile();

/** A Redis with TLS. `command` reaches it without TLS. */
async function startTlsRedis() {
  const port = await freePort();
  const redis = await startRedis({
    'tls-port': String(port),
    'tls-cert-file': CERTIFICATE,
    'tls-key-file': CERTIFICATE.replace('cert', 'key'),
    'tls-ca-cert-file': CERTIFICATE,
    'tls-auth-clients': 'no',
  });
  const { client, close } = await connect(redis.url);
  onTestFinished(async () => {
    close();
    await redis.close();
  });
  return { url: `rediss://localhost:${port}`, command: (...words: string[]) => client.sendCommand(words) };
}

describe.skipIf(withoutRedis)('a Redis with TLS', () => {
  it('that REDIS_URL takes for one without: the start names both forms of the URL', async () => {
    const redis = await startTlsRedis();
    const world = await newWorld();
    const { stderr } = await world.runMain({ REDIS_URL: redis.url.replace('rediss:', 'redis:') });
    expect(stderr).toMatch(
      /^Redis can't be reached at .*: check REDIS_URL \(rediss:\/\/ with TLS, else redis:\/\/\), /,
    );
  });

  it('that refuses the bot’s connections ends no bot, and a start says why', async () => {
    const redis = await startTlsRedis();
    const world = await newWorld({ env: { REDIS_URL: redis.url, NODE_EXTRA_CA_CERTS: CERTIFICATE } });
    await world.start();
    await link(world);
    // Redis says so after the handshake, then resets the connection: two errors of one socket.
    await redis.command('CONFIG', 'SET', 'tls-auth-clients', 'yes');
    await redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const readyz = () => fetch(`${world.url}/readyz`).then((answer) => answer.status);
    await expect.poll(readyz).toBe(503);
    const refused = await world.runMain({ PORT: '0' });
    expect(refused.stderr).toMatch(
      /^Redis can't be reached at localhost:\d+ \(tlsv13 alert certificate required\): .*\n$/,
    );
    expect(refused.code).toBe(1);
    await redis.command('CONFIG', 'SET', 'tls-auth-clients', 'no');
    await expect.poll(readyz).toBe(200);
    expect(await ask(world, 'balance')).toContain('1,000 credits');
  });
});
