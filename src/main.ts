import { existsSync } from 'node:fs';
import { createBot } from './bot.ts';
import {
  ConfigError,
  loadEnvFile,
  type PlaygroundConfig,
  type RealConfig,
  readConfig,
} from './config/read-config.ts';
import { createLog } from './log.ts';
import { explainPort, explainStart } from './start-error.ts';

/** The longest that a stop may take, in ms. The next start recovers what was still in flight then. */
const STOP_WITHIN_MS = 25_000;

const MAY_BE_UNKNOWN = 'texts that were on their way may be unknown after the next start';

/** The folder that joins the bot with the imitations of Slack and the service. The production image lacks it. */
const LOCAL = new URL('../local', import.meta.url);
const BOT_ALONE =
  'This image holds the bot alone: for the playground or SMS_BASE_URL=sandbox run npm ci && npm start in a checkout, ' +
  'else set the SLACK_* variables and your service’s SMS_BASE_URL.';

await main();

async function main(): Promise<void> {
  let ports: Parameters<typeof explainPort>[1] = {};
  try {
    loadEnvFile();
    const config = readConfig(process.env);
    const isReal = config.mode === 'real';
    ports = { PORT: config.port, METRICS_PORT: isReal ? config.metrics?.port : undefined };
    const needsImitation = !isReal || config.sms.baseUrl === 'sandbox';
    if (needsImitation && !existsSync(LOCAL)) throw new ConfigError(BOT_ALONE);
    await (isReal ? run(config) : play(config));
  } catch (error) {
    const sentence = explainStart(error) ?? explainPort(error, ports);
    if (sentence === undefined) throw error;
    process.stderr.write(`${sentence}\n`);
    process.exitCode = 1;
  }
}

/** Starts the bot, and the imitated service if it stands in for the real one. */
async function run(config: RealConfig): Promise<void> {
  const log = createLog(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  // Until the bot works, a stop only ends the process. A container's first process must take the signal even then.
  let finish = async () => {};
  onSignal(
    async () => {
      log.info('Switchboard stops');
      await finish();
      log.info('Switchboard has stopped');
    },
    (err) => log.error({ err }, `Switchboard could not stop as it should; ${MAY_BE_UNKNOWN}`),
  );
  const sandbox = config.sms.baseUrl === 'sandbox' ? await startSandbox() : undefined;
  try {
    await createBot(config, {
      baseUrl: sandbox?.url ?? config.sms.baseUrl,
      log,
      onWork(stop) {
        finish = async () => {
          await stop();
          await sandbox?.close();
        };
      },
    });
  } catch (error) {
    await sandbox?.close();
    throw error;
  }
  if (!sandbox) return;
  const keys = sandbox.state().instances.map((instance) => instance.key);
  log.warn(
    { sandboxKeys: keys },
    'SMS_BASE_URL=sandbox: the bot sends no real text and spends no money; link a channel with one of these keys',
  );
}

/** Starts the imitated service, and loads its code only here. */
async function startSandbox() {
  const { createSandbox } = await import('../local/sandbox.ts');
  return createSandbox();
}

/** Starts a local workspace in a web page. Its bot is this program again, in a process of its own. */
async function play({ port, dataDir, listUndoSeconds }: PlaygroundConfig): Promise<void> {
  const { startPlayground } = await import('../local/start-playground.ts');
  const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const inherited = { PATH, NODE_COMPILE_CACHE, LIST_UNDO_SECONDS: String(listUndoSeconds) };
  const { url, folder, stop } = await startPlayground({ port, dataDir, inherited, tell });
  process.stdout.write(
    `\n  Switchboard’s playground:  ${url}\n\n  Open it in a browser. Nothing reaches a real phone, nothing costs money.\n` +
      `  Ctrl+C stops it; what happened is kept in ${folder}.\n\n`,
  );
  onSignal(stop, (error) => tell(String(error)));
}

/**
 * At the first SIGTERM, SIGINT or SIGHUP, calls `stop`. Ends the process when `stop` is done; if it fails or takes too
 * long, says so.
 */
function onSignal(stop: () => Promise<void>, say: (error: unknown) => void): void {
  function giveUp(error: unknown): never {
    say(error);
    process.exit(1);
  }
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      const tooLong = new Error(`The stop took longer than ${STOP_WITHIN_MS / 1000} s.`);
      setTimeout(giveUp, STOP_WITHIN_MS, tooLong).unref();
      stop().then(() => process.exit(0), giveUp);
    });
  }
}
