import { parseArgs } from 'node:util';
import { COMMANDS, type Options, type Tools } from './admin/commands.ts';
import { AdminError } from './admin/error.ts';
import { ConfigError, loadEnvFile, type RealConfig, readConfig } from './config.ts';
import { systemClock } from './core/clock.ts';
import { createInstances } from './core/instances.ts';
import { createSmsClient } from './sms/client.ts';
import { explainStart } from './start-error.ts';
import type { Records } from './store/records.ts';
import { createSqliteLedger } from './store/sqlite/ledger.ts';
import { lockDataDir } from './store/sqlite/lock.ts';
import { openRecords } from './store/sqlite/store.ts';

const USAGE = `What an operator does on the server. But for forget-keys the bot may be running.

  npm run admin -- add-instance --name NAME     add an instance; its API key is read from standard input
  npm run admin -- set-key --instance NAME      replace an instance's key, read from standard input
                   [--accept-account]           also when the key belongs to another account
  npm run admin -- status                       instances, keys, links, open and unknown sends
  npm run admin -- list-unknown                 sends whose fate is unknown, with their evidence
  npm run admin -- rotate-keys                  seal everything again under the first key of ENCRYPTION_KEY
  npm run admin -- forget-keys --yes            the encryption key is lost: forget all instances and their keys
                                                (stop the bot first)

  --team ID chooses the workspace, where there are several.`;

await main().catch((error: unknown) => {
  const known = error instanceof AdminError || error instanceof ConfigError;
  const sentence = known ? error.message : explainStart(error);
  if (sentence === undefined) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { command: name, options } = readArguments();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  // Words that are not understood are not repeated: one may be a key.
  if (!command) throw new AdminError(name === '' ? USAGE : `This is not a command.\n\n${USAGE}`);
  loadEnvFile();
  const config = readConfig(process.env);
  if (config.mode !== 'real') {
    throw new AdminError(
      'Set the variables that README.md lists first: this command uses the same as the bot.',
    );
  }
  await withTools(config, options, command);
}

function readArguments(): { command: string; options: Options } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        instance: { type: 'string' },
        team: { type: 'string' },
        'accept-account': { type: 'boolean' },
        yes: { type: 'boolean' },
      },
    });
    const [command = '', ...more] = positionals;
    if (more.length > 0) throw new TypeError('too many words');
    return { command, options: { ...values } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AdminError(
      `There is a word or an option too many. An API key is never written here: it is read from standard input.\n\n${USAGE}`,
    );
  }
}

async function withTools(
  config: RealConfig,
  options: Options,
  command: (tools: Tools) => Promise<void>,
): Promise<void> {
  const { db, cipher, records } = openRecords({
    ...config,
    onDamaged: (error) => process.stderr.write(`${error.message} It is left out.\n`),
  });
  const { baseUrl, baseUrlAlt, timeoutMs } = config.sms;
  try {
    await command({
      options,
      records,
      ledger: createSqliteLedger(db, config.limits),
      team: () => teamOf(records, options.team),
      async alone(work) {
        const lock = lockDataDir(config.dataDir, 0);
        try {
          return await work();
        } finally {
          lock.release();
        }
      },
      async withInstances(work) {
        if (baseUrl === 'sandbox') {
          throw new AdminError(
            'With SMS_BASE_URL=sandbox the service lives inside the bot and can’t be asked from here: add its key in Slack, with /sms link.',
          );
        }
        const sms = createSmsClient({
          baseUrl,
          timeoutMs,
          ...(baseUrlAlt === undefined ? {} : { baseUrlAlt }),
        });
        try {
          await work(
            createInstances({
              instances: records.instances,
              links: records.links,
              cipher,
              fingerprintSecret: await records.fingerprintSecret(),
              ledger: createSqliteLedger(db, config.limits),
              sms,
              baseUrl,
              clock: systemClock,
            }),
          );
        } finally {
          await sms.close();
        }
      },
    });
  } finally {
    db.close();
  }
}

async function teamOf(records: Records, chosen: string | undefined): Promise<string> {
  const workspaces = await records.workspaces.list();
  const found =
    chosen === undefined ? workspaces : workspaces.filter((workspace) => workspace.team === chosen);
  const [workspace, ...others] = found;
  if (!workspace)
    throw new AdminError('No workspace is known yet: start the bot once, so that it meets its workspace.');
  if (others.length > 0) {
    const list = found.map(({ team, name }) => `  ${team}  ${name}`).join('\n');
    throw new AdminError(`There are several workspaces; choose one with --team:\n${list}`);
  }
  return workspace.team;
}
