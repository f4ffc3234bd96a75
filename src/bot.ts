import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RealConfig } from './config/read-config.ts';
import { holdBackAll } from './core/after-restore.ts';
import { systemClock } from './core/clock.ts';
import { createCore } from './core/core.ts';
import type { OpenStore } from './data/data.ts';
import { openStore } from './data/embedded.ts';
import { serveHttp } from './http.ts';
import { byInstallation, byToken } from './membership.ts';
import { createReadiness } from './readiness.ts';
import { createSlackApp } from './slack/connection/app.ts';
import { createSlackHealth } from './slack/connection/health.ts';
import { createWebClient, type SlackAccess, type SlackCall } from './slack/connection/web-client.ts';
import { createDeliver } from './slack/delivery/deliver.ts';
import { createHomeRefresher } from './slack/home/refresh-homes.ts';
import { isLoopback } from './sms/base-url.ts';
import { createSmsClient } from './sms/client.ts';

/** How long running listeners may take after the bot stops taking requests, in ms. */
const LISTENERS_MAY_TAKE_MS = 5000;
/**
 * How long one of several bots still serves after SIGTERM, in ms. Meanwhile its load balancer learns of the stop: it asks
 * /readyz every two seconds and needs two bad answers.
 */
const HAND_OVER_MS = 5000;

const MARK_IS_OLD =
  'the bot could not renew the mark of its data: the next start may not notice a copy made since the last renewal';

/**
 * Starts all parts and joins them: store, client of the service, core, Slack, HTTP. Resolves when the bot serves.
 * @param baseUrl the service's address; for 'sandbox', that of the sandbox that the caller has started
 * @param onWork called with `stop` just before the bot begins to work: before it serves, requests may be in flight already
 * @throws StoreError, SlackStartError, EncryptionError, or the system's error for a taken port
 */
export async function createBot(
  config: RealConfig,
  { baseUrl, log, onWork }: { baseUrl: string; log: Logger; onWork(stop: () => Promise<void>): void },
): Promise<void> {
  const store = await storeOf(config, log);
  // Closes everything in reverse order, even if one part fails.
  const closing = new AsyncDisposableStack();
  closing.defer(() => store.close());
  let phase: 'starting' | 'ready' | 'stopping' = 'starting';
  let takesNew = true;

  /** Hands over to other bots, takes nothing new, finishes the requests in flight, and closes all parts. */
  async function end(): Promise<void> {
    const served = phase === 'ready';
    phase = 'stopping';
    // A load balancer may send requests to other bots instead. In Socket Mode, the closed connection tells Slack.
    if (served && config.redis && config.slack.transport.kind === 'http') {
      log.info({ ms: HAND_OVER_MS }, 'this bot still serves until the load balancer notices that it stops');
      await setTimeout(HAND_OVER_MS);
    }
    takesNew = false;
    if (served) log.info('this bot finishes the requests in flight');
    await closing.disposeAsync();
  }
  let ending: Promise<void> | undefined;
  /** A signal may come while a start that failed still ends: both wait for the same end. */
  const stop = () => (ending ??= end());

  try {
    if ((await store.records.workspaces.keys()).length === 0)
      log.warn({ dataDir: config.dataDir }, 'the store is new and knows nothing, neither links nor opt-outs');
    else if (store.isOldCopy)
      log.warn(
        await holdBackAll(store),
        'the data are an older copy: all their work is held back, as by after-restore',
      );
    // Not before the work is held back: the next start would take the old copy for the newest.
    closing.defer(() => store.renewMark().catch((err: unknown) => log.warn({ err }, MARK_IS_OLD)));
    const metrics = await metricsOf(config, store, log);
    if (metrics) closing.defer(metrics.close);

    const { slackAccess, web, slackTrouble } = slackOf(config, metrics, log);
    const { apiUrl, transport, botToken, oauth } = config.slack;
    const membership = oauth
      ? byInstallation(oauth, store, slackAccess)
      : await byToken({ web, botToken }, store, slackAccess);
    closing.defer(() => membership.stop?.());

    const sms = createSmsClient({
      ...config.sms,
      baseUrl,
      maxBulkCharacters: config.core.bulk.mostCharacters,
      onCall: metrics?.serviceCalled,
    });
    closing.defer(() => sms.close());
    const core = createCore({
      ...store,
      ...config.core,
      fingerprintSecret: await store.records.fingerprintSecret(),
      sms,
      baseUrl: config.sms.baseUrl,
      clock: systemClock,
      log,
      onSettled: (chunk, settlement) => metrics?.settled(chunk, settlement),
      onGivenUp: () => metrics?.gaveUp(),
    });

    // What people type, press and submit.
    const workspaces = membership.join({ core, slack: slackAccess, admins: config.core.admins });
    const { removals } = membership;
    const homes = createHomeRefresher({ core, workspaces, log });
    const slack = await createSlackApp({
      workspaces,
      transport,
      apiUrl,
      log,
      onAck: (kind, seconds) => metrics?.acked(kind, seconds),
      ...(removals ? { removals } : {}),
    });

    const readiness = createReadiness({
      ledger: store.ledger,
      slack: () => (slack.isConnected() ? slackTrouble() : 'the Socket Mode connection is down'),
      gate: () =>
        core.isBlocked() ? 'the ledger refuses answers; nothing is sent until it takes them' : undefined,
    });
    const http = await serveHttp({
      port: config.port,
      // A Slack on this machine calls from this machine: nobody else needs to reach the bot.
      host: isLoopback(new URL(apiUrl).hostname) ? '127.0.0.1' : undefined,
      slack: slack.listener,
      install: membership.routes,
      async readiness() {
        const { ready, parts } = await readiness();
        return phase === 'ready' ? { ready, parts } : { ready: false, parts: { bot: phase, ...parts } };
      },
      takesNew: () => takesNew,
    });
    closing.defer(() => http.close());
    closing.defer(async () => {
      // All at once: while a listener waits for Slack, core must not take new sends.
      const listeners = Promise.race([
        http.answered().then(slack.stop),
        setTimeout(LISTENERS_MAY_TAKE_MS, undefined, { ref: false }),
      ]);
      await Promise.all([listeners, core.stop(), homes.drain(), removals?.stop()]);
    });

    // Start only now: from here on, a failure stops all of it again.
    onWork(stop);
    core.start(createDeliver(core, workspaces), homes.wake);
    removals?.start();
    await slack.connect();
    if (ending) return;
    phase = 'ready';
    const ports = { port: http.port, metricsPort: metrics?.port };
    const workspace = membership.team ?? 'all that install it';
    log.info({ ...ports, workspace, mode: transport.kind }, 'Switchboard is ready');
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The embedded store, or the Redis that several bots share. Loads the code for Redis only if it is used. */
async function storeOf(config: RealConfig, log: Logger): Promise<OpenStore> {
  const { dataDir, encryptionKeys, redis } = config;
  const { limits } = config.core;
  const onDamaged = (err: Error) => log.error({ err }, 'the bot leaves out a damaged record');
  const onScrubRefused = (err: unknown) =>
    log.warn({ err }, 'Redis does not rewrite its file, which may still hold deleted data');
  const onVolatile = (err: Error) => log.error({ err }, 'Redis may forget writes');
  const options = { dataDir, encryptionKeys, limits, onDamaged, onScrubRefused, onVolatile };
  if (!redis) return openStore(options);
  const { openRedisStore } = await import('./data/shared.ts');
  return openRedisStore({ ...options, ...redis });
}

/** How the bot calls Slack. `slackTrouble` returns a trouble with Slack in words, if there is one. */
function slackOf({ slack: { apiUrl, botToken, oauth } }: RealConfig, metrics: BotMetrics, log: Logger) {
  const health = createSlackHealth({ ofOneToken: !oauth });
  function onCall(call: SlackCall): void {
    health.note(call);
    metrics?.slackCalled(call);
  }
  const slackAccess: SlackAccess = { apiUrl, log, onCall };
  const web = createWebClient(botToken, slackAccess);
  const slackTrouble = () => health.trouble(() => (oauth ? web.api.test() : web.auth.test()));
  return { slackAccess, web, slackTrouble };
}

type BotMetrics = Awaited<ReturnType<typeof metricsOf>>;

/** Serves the metrics and loads their code, if a port is set for them. */
async function metricsOf(config: RealConfig, { ledger, records }: OpenStore, log: Logger) {
  if (!config.metrics) return undefined;
  const { serveMetrics } = await import('./metrics/serve.ts');
  return serveMetrics({ ledger, records }, { ...config.metrics, log });
}
