import { parseArgs } from 'node:util';
import { COMMANDS } from './admin/commands.ts';
import { AdminError } from './admin/error.ts';
import { openAdminStore } from './admin/open-store.ts';
import { STORE_COMMANDS } from './admin/store-commands.ts';
import { OPTIONS, type Options, type Tools } from './admin/tools.ts';
import { ConfigError, loadEnvFile, type RealConfig, readConfig } from './config/read-config.ts';
import { createInstances } from './core/accounts/instances.ts';
import { systemClock } from './core/clock.ts';
import { createLog } from './log.ts';
import type { Records } from './records/records.ts';
import { createSmsClient, type SmsClient } from './sms/client.ts';
import { explainStart } from './start-error.ts';

const USAGE = `What an operator does on the server. The bot may keep running, unless a line says otherwise.

  npm run admin -- add-instance --name NAME     add an instance; its API key is read from standard input
  npm run admin -- set-key --instance NAME      replace an instance's key, read from standard input
                   [--accept-account]           also when the key belongs to another account
  npm run admin -- status                       instances, keys, links, open sends, unknown messages
  npm run admin -- list-unknown                 messages that need a decision, with what the balance shows
  npm run admin -- check-refusals --instance NAME
                                                find out how the provider refuses a list; sends a text to your phone
  npm run admin -- erase --phone +44…           delete every trace of one number, in all workspaces
  npm run admin -- export --team ID             write all that is kept of a workspace, as lines of JSON, without keys
  npm run admin -- rotate-keys                  seal everything again under the first key of ENCRYPTION_KEY
  npm run admin -- forget-keys --yes            the encryption key is lost: forget all instances and their keys
                                                (stop the bot first)
  npm run admin -- after-restore                a copy of the data was put back: pause every job, cancel texts that
                                                wait, expire drafts (stop every bot first)
  npm run admin -- reset-store --yes            Redis was emptied: start with an empty ledger. Records that are left
                                                stay (stop every bot first)
  npm run admin -- move --to redis              carry the database over to an empty Redis (stop the bot first)

  --team ID chooses the workspace, if there are several.`;

/** This command runs before any bot: a copy that was put back may be of an older version. */
const AFTER_RESTORE = 'after-restore';

await main().catch((error: unknown) => {
  const known = error instanceof AdminError || error instanceof ConfigError;
  const sentence = known ? error.message : explainStart(error);
  if (sentence === undefined) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  // Only this account may read the files that we write, even in a folder that others may enter.
  process.umask(0o077);
  const { command: name, options } = readArguments();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const ofStore = Object.hasOwn(STORE_COMMANDS, name) ? STORE_COMMANDS[name] : undefined;
  // Unknown words may contain an API key: never repeat them.
  if (!command && !ofStore) throw new AdminError(name === '' ? USAGE : `This is not a command.\n\n${USAGE}`);
  loadEnvFile();
  const config = readConfig(process.env);
  if (config.mode !== 'real') {
    throw new AdminError(
      'Set the variables of docs/configuration.md first: this command uses the same as the bot.',
    );
  }
  if (command) return withTools(config, options, command, name === AFTER_RESTORE);
  await ofStore?.({ config, options });
}

function readArguments(): { command: string; options: Options } {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: OPTIONS });
    const [command = '', ...more] = positionals;
    if (more.length > 0) throw new TypeError('too many words');
    return { command, options: { ...values } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AdminError(
      `The command has an unknown option, or a word too many. Never write an API key here: it is read from standard input.\n\n${USAGE}`,
    );
  }
}

async function withTools(
  config: RealConfig,
  options: Options,
  command: (tools: Tools) => Promise<void>,
  isAlone: boolean,
): Promise<void> {
  const { ledger, records, cipher, scrub, alone, close } = await openAdminStore(config, isAlone, (error) => {
    process.stderr.write(`${error.message} It is left out.\n`);
  });
  const { baseUrl, baseUrlAlt, timeoutMs } = config.sms;
  async function withService(work: (service: { sms: SmsClient; baseUrl: string }) => Promise<void>) {
    if (baseUrl === 'sandbox') {
      throw new AdminError(
        'With SMS_BASE_URL=sandbox the service is inside the bot, so it can’t be asked from here. Use /sms link and /sms settings in Slack.',
      );
    }
    const sms = createSmsClient({ baseUrl, timeoutMs, ...(baseUrlAlt === undefined ? {} : { baseUrlAlt }) });
    try {
      await work({ sms, baseUrl });
    } finally {
      await sms.close();
    }
  }
  try {
    await command({
      options,
      records,
      cipher,
      ledger,
      scrub,
      team: () => teamOf(records, options.team),
      alone,
      withInstances: (work) =>
        withService(async (service) => {
          const fingerprintSecret = await records.fingerprintSecret();
          const { sms, baseUrl } = service;
          await work(
            createInstances({ ledger, records, cipher, fingerprintSecret, sms, baseUrl, clock: systemClock }),
          );
        }),
      withCore: (work) =>
        withService(async (service) => {
          const { createCore } = await import('./core/core.ts');
          const core = createCore({
            ledger,
            records,
            cipher,
            onReconnect: () => {},
            fingerprintSecret: await records.fingerprintSecret(),
            sms: service.sms,
            baseUrl: service.baseUrl,
            ...config.core,
            scrub,
            clock: systemClock,
            log: createLog('warn', process.stderr),
          });
          await work(core);
        }),
    });
  } finally {
    close();
  }
}

async function teamOf(records: Records, chosen: string | undefined): Promise<string> {
  const workspaces = await records.workspaces.list();
  if (workspaces.length === 0) {
    throw new AdminError('No workspace is known yet: start the bot once, so that it meets its workspace.');
  }
  const list = workspaces.map(({ team, name }) => `  ${team}  ${name}`).join('\n');
  const found = chosen === undefined ? workspaces : workspaces.filter(({ team }) => team === chosen);
  const [workspace, ...others] = found;
  if (!workspace) throw new AdminError(`No workspace has this id. Choose one of these with --team:\n${list}`);
  if (others.length > 0) {
    throw new AdminError(`There are several workspaces; choose one with --team:\n${list}`);
  }
  return workspace.team;
}
