import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { aroundEach, describe, expect, it } from 'vitest';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { asOneOfMany, whenOver } from '../helpers/side-by-side.ts';
import { START } from '../helpers/start-command.ts';
import type { World } from '../helpers/world.ts';
import { confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  draft,
  eventually,
  link,
  press,
  receiptOf,
  rows,
  sendText,
} from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

aroundEach(asOneOfMany);

const newWorld = worldsOfFile();

async function started(env: Record<string, string> = {}): Promise<World> {
  const world = await newWorld({ env });
  await world.start();
  await link(world);
  return world;
}

const NUMBERS = Array.from({ length: 20 }, (_, index) => `4420794616${String(index).padStart(2, '0')}`);
const textRequests = ({ service }: World) => service.requests.filter(({ endpoint }) => endpoint === 'send');
/** What the log says where others may take over. */
const HANDS_OVER = 'this bot still serves until the load balancer notices';
const chunksByState = (world: World) =>
  Object.fromEntries(
    rows(world, 'SELECT state, count(*) AS n FROM chunks GROUP BY state').map(({ state, n }) => [state, n]),
  );

/** Every request has its outcome. On a busy machine, no text may be left for later. */
function expectSettled(world: World): void {
  const { pending: _later, ...settled } = chunksByState(world);
  expect(settled).toEqual({ sent: textRequests(world).length });
}

describe.concurrent('SIGTERM', () => {
  it('with a running job and a service that hangs: not ready, nothing new is sent, requests in flight are settled', async ({
    expect: expected,
  }) => {
    const world = await started({
      BULK_CHUNK_SIZE: '1',
      SMS_TIMEOUT_MS: '4000',
      SMS_ATTEMPT_LEASE_MS: '6000',
    });
    const { service, slack } = world;
    service.addFault({ kind: 'hang', when: 'after', endpoint: 'send', times: 'always' });
    const recipients = NUMBERS.map((number) => `+${number}`).join('\n');
    await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
    await eventually(() => textRequests(world).length === 8);
    const stopped = world.stop();

    // From the signal to the end of what is in flight it can be seen that it stops.
    await eventually(() => world.output().includes('this bot finishes the requests in flight'));
    const readiness = await fetch(`${world.url}/readyz`);
    expected(readiness.status).toBe(503);
    expected(await readiness.json()).toMatchObject({ ready: false, bot: 'stopping', store: 'ok' });
    const { people, channels } = slack;
    const late = await slack.command({ user: people.member, channel: channels.sales, text: 'balance' });
    expected(late.status).toBe(503);

    expected(await stopped).toBe(0);
    expected(textRequests(world)).toHaveLength(8);
    expected(chunksByState(world)).toEqual({ unknown: 8, pending: 12 });
    expected(world.output()).toContain('"msg":"Switchboard has stopped"');
    expected(world.output()).not.toContain(HANDS_OVER);

    service.clearFaults();
    await world.start();
    await slack.waitFor(() => slack.history(channels.sales.id).find(({ text }) => /Paused/.test(text)));
    for (const number of NUMBERS) expected(arrivalsAt(world, number).length).toBeLessThanOrEqual(1);
    expected(textRequests(world)).toHaveLength(8);
  });

  it('while Slack hangs: it does not wait for ever, and the receipt follows after the next start', async ({
    expect: expected,
  }) => {
    const world = await started();
    const { slack, service } = world;
    const preview = await draft(world, '+442079461701 Hello');
    service.addFault({ kind: 'delay', ms: 500, endpoint: 'send' });
    await press(world, preview, 'Send');
    await eventually(() => service.requests.some(({ endpoint }) => endpoint === 'send'));
    slack.fault({ method: '*', fault: { kind: 'hang' }, count: Number.POSITIVE_INFINITY });
    const { people, channels } = slack;
    await slack.command({ user: people.member, channel: channels.sales, text: 'balance' });
    expected(await world.stop()).toBe(0);
    expected(rows(world, 'SELECT state FROM chunks')).toEqual([{ state: 'sent' }]);
    slack.clearFaults();
    await world.start();
    expected(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    expected(arrivalsAt(world, '442079461701')).toHaveLength(1);
  });

  it('if the answer of a request can’t be saved: it ends in time, and the log says so', async ({
    expect: expected,
  }) => {
    const world = await started();
    world.service.addFault({ kind: 'delay', ms: 500, endpoint: 'send' });
    await press(world, await draft(world, '+442079461702 Hello'), 'Send');
    await eventually(() => textRequests(world).length === 1);
    const other = new DatabaseSync(join(world.dataDir, 'switchboard.db'));
    other.exec('BEGIN IMMEDIATE');
    expected(await world.stop()).toBe(1);
    other.close();
    expected(world.output()).toMatch(
      /"level":50,.*longer than 25 s.*"msg":"Switchboard could not stop as it should; texts .*may be unknown/,
    );
  });

  it('with idle open connections: they are cut', async ({ expect: expected }) => {
    const world = await started();
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.resume();
    await once(socket, 'connect');
    socket.write('POST /slack/events HTTP/1.1\r\nHost: bot\r\nContent-Length: 1000\r\n\r\nhalf');
    const closed = once(socket, 'close');
    expected(await world.stop()).toBe(0);
    await closed;
  });
});

it.concurrent('a signal while it starts ends it, too', async () => {
  const world = await newWorld({ bot: START });
  world.slack.fault({ method: 'auth.test', fault: { kind: 'hang' } });
  const starting = world.start().catch((error: Error) => error.message);
  // A start may take this long.
  await eventually(() => world.slack.calls.some(({ method }) => method === 'auth.test'));
  await world.stop();
  expect(await starting).toMatch(/^the bot ended/);
});

/** A bot in Socket Mode that was stopped while it sent a list. The service takes a second for each text. */
async function stoppedAmidList() {
  const world = await newWorld({ env: { BULK_CHUNK_SIZE: '1' }, socketMode: true });
  const { service } = world;
  await world.start();
  await link(world);
  service.addFault({ kind: 'delay', ms: 1000, endpoint: 'send', times: 'always' });
  const recipients = NUMBERS.map((number) => `+${number}`).join('\n');
  await confirmBulk(world, await draftBulk(world, { recipients, message: 'Hello' }));
  await eventually(() => textRequests(world).length > 0);
  expect(await world.stop()).toBe(0);
  return world;
}

it.concurrent('SIGTERM during a start, while Slack opens no connection: requests in flight are settled', async () => {
  const world = await stoppedAmidList();
  const { slack } = world;
  const before = textRequests(world).length;
  slack.fault({ method: 'apps.connections.open', fault: { kind: 'hang' }, count: Infinity });
  const begun = world.start().catch(() => undefined);
  await eventually(() => textRequests(world).length > before);
  expect(await world.stop()).toBe(0);
  await begun;
  expectSettled(world);
});

it.concurrent('SIGTERM while Slack takes long to open the connection again: it is closed at once', async () => {
  const world = await newWorld({ socketMode: true });
  const { service, slack } = world;
  await world.start();
  await link(world);
  service.addFault({ kind: 'delay', ms: 12_000, endpoint: 'send' });
  await press(world, await draft(world, '+442079461703 Hello'), 'Send');
  await eventually(() => textRequests(world).length === 1);
  // The bot's client tries again by itself: four times in three seconds.
  slack.fault({ method: 'apps.connections.open', fault: { kind: 'lost_answer' }, count: 4 });
  const opens = () => slack.calls.filter(({ method }) => method === 'apps.connections.open').length;
  const before = opens();
  slack.socket.disconnect('drop');
  await eventually(() => opens() > before);
  const stopped = world.stop();
  await slack.waitFor(() => opens() === before + 5 && slack.socket.connections() === 1);
  await slack.waitFor(() => slack.socket.connections() === 0);
  // So the bot itself has closed it, before its end.
  expect(textRequests(world)).toMatchObject([{ open: true }]);
  expect(await stopped).toBe(0);
});

it.concurrent('SIGTERM while a start that failed still ends: requests in flight are settled', async ({
  expect: expected,
}) => {
  const world = await stoppedAmidList();
  const { service, slack } = world;
  service.clearFaults();
  service.addFault({ kind: 'delay', ms: 12_000, endpoint: 'send', times: 'always' });
  slack.fault({ method: 'apps.connections.open', fault: { kind: 'lost_answer' }, count: Infinity });
  const begun = world.start().catch(() => undefined);
  const phase = () =>
    fetch(`${world.url}/readyz`).then(
      async (answer) => ((await answer.json()) as { bot?: string }).bot,
      () => undefined,
    );
  await expected.poll(phase).toBe('stopping');
  await world.stop();
  await begun;
  expectSettled(world);
});

describe.skipIf(withoutRedis).concurrent('SIGTERM on Redis, where other bots go on', () => {
  async function onRedis(socketMode: boolean): Promise<World> {
    const redis = await startRedis();
    whenOver(() => redis.close());
    const world = await newWorld({ socketMode, env: { REDIS_URL: redis.url } });
    await world.start();
    await link(world);
    return world;
  }

  it('by HTTP: not ready at once, and later requests of a load balancer are still served', async () => {
    const world = await onRedis(false);
    const stopped = world.stop();
    await eventually(() => world.output().includes(HANDS_OVER));
    const readiness = await fetch(`${world.url}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ ready: false, bot: 'stopping', store: 'ok' });
    expect(await sendText(world, '+442079461711 In between')).toMatch(/^✅ \*Sent\*/);
    expect(await stopped).toBe(0);
    expect(world.output()).toContain('"msg":"Switchboard has stopped"');
  });

  it('in Socket Mode the connection is closed at once: Slack turns to the others', async () => {
    const world = await onRedis(true);
    expect(await world.stop()).toBe(0);
    expect(world.output()).not.toContain(HANDS_OVER);
  });
});
