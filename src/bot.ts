import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RealConfig } from './config.ts';
import { systemClock } from './core/clock.ts';
import { createCore } from './core/core.ts';
import { serveHttp } from './http.ts';
import { createSlackApp, createWebClient, findWorkspace } from './slack/app.ts';
import { createDeliver } from './slack/deliver.ts';
import { isLoopback } from './sms/base-url.ts';
import { createSmsClient } from './sms/client.ts';
import { openStore } from './store/sqlite/store.ts';

/** How long listeners may go on after a stop was asked for, in ms. */
const LISTENERS_MAY_TAKE_MS = 5000;

/** A bot that runs. */
export interface Bot {
  /** The HTTP port that it listens on. */
  port: number;
  /** Takes nothing new, finishes what is in flight, closes. */
  stop(): Promise<void>;
}

/**
 * The one place where the parts are joined: store, client of the service, core, Slack, HTTP. Resolves when the bot
 * serves.
 * @param baseUrl where the service is; `config` may say 'sandbox', which somebody has started by now
 * @throws StoreError, SlackStartError, EncryptionError, or the system's error for a taken port
 */
export async function createBot(
  config: RealConfig,
  { baseUrl, baseUrlAlt, log }: { baseUrl: string; baseUrlAlt?: string; log: Logger },
): Promise<Bot> {
  const { limits } = config;
  const store = openStore({
    dataDir: config.dataDir,
    encryptionKeys: config.encryptionKeys,
    limits,
    onDamaged: (error) => log.error({ err: error }, 'a stored record is left out'),
  });
  const closing: (() => Promise<void> | void)[] = [() => store.close()];
  const stop = async () => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const fingerprintSecret = await store.records.fingerprintSecret();
    const web = createWebClient(config.slack.botToken, config.slack.apiUrl, log);
    const workspace = await findWorkspace(web);
    await store.records.workspaces.set(workspace.team, { ...workspace, firstSeenAt: Date.now() });

    const sms = createSmsClient({
      baseUrl,
      ...(baseUrlAlt === undefined ? {} : { baseUrlAlt }),
      timeoutMs: config.sms.timeoutMs,
      maxBulkCharacters: config.bulk.mostCharacters,
    });
    closing.push(() => sms.close());
    const core = createCore({
      ...store,
      fingerprintSecret,
      sms,
      baseUrl: config.sms.baseUrl,
      limits,
      draftTtlMs: config.draftTtlMs,
      bulk: config.bulk,
      balancePollMs: config.balancePollMs,
      admins: config.admins,
      clock: systemClock,
      log,
    });
    const slack = await createSlackApp({
      core,
      web,
      workspace,
      transport: config.slack.transport,
      botToken: config.slack.botToken,
      apiUrl: config.slack.apiUrl,
      admins: config.admins,
      log,
    });
    let ready = false;
    const http = await serveHttp({
      port: config.port,
      // A Slack on this machine calls from this machine: nobody else needs to reach the bot.
      ...(isLoopback(new URL(config.slack.apiUrl).hostname) ? { host: '127.0.0.1' } : {}),
      ...(slack.listener ? { slack: slack.listener } : {}),
      notReady: () => (ready ? [] : ['starting or stopping']),
    });
    closing.push(async () => {
      ready = false;
      // All at once: a listener that waits for Slack must not keep core taking new sends. It may finish, within reason.
      const listeners = Promise.race([
        slack.stop(),
        setTimeout(LISTENERS_MAY_TAKE_MS, undefined, { ref: false }),
      ]);
      await Promise.all([http.close(), listeners, core.stop()]);
    });
    // Only now that a failure stops it again.
    core.start(createDeliver(slack.deps));
    await slack.connect();
    ready = true;
    log.info(
      { port: http.port, workspace: workspace.team, mode: config.slack.transport.kind },
      'Switchboard is ready',
    );
    return { port: http.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
