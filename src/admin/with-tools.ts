import type { RealConfig } from '../config/read-config.ts';
import { systemClock } from '../core/clock.ts';
import type { Core } from '../core/core.ts';
import type { OpenStore } from '../data/data.ts';
import { openForCommand } from '../data/embedded.ts';
import { createLog } from '../log.ts';
import type { Records } from '../records/records.ts';
import { oneLine } from '../slack/ui/safe-text.ts';
import { createSmsClient } from '../sms/client.ts';
import { AdminError } from './terminal.ts';
import type { Command, Tools } from './tools.ts';

/**
 * Makes a command that opens the store, does its work, and closes the store. A bot may run, unless the command `isAlone`;
 * such a command may upgrade the data. On Redis, nobody can see whether bots run.
 * @throws StoreError if the store does not open, or a bot runs that may not; and what the work throws
 */
export function withTools(work: (tools: Tools) => Promise<void>, { isAlone = false } = {}): Command {
  return async ({ config, options }) => {
    const store = await storeOf(config, isAlone);
    try {
      await work({
        ...store,
        options,
        team: () => teamOf(store.records, options.team),
        withCore: (useCore) => withCore(config, store, useCore),
      });
    } finally {
      store.close();
    }
  };
}

async function storeOf(
  { dataDir, encryptionKeys, redis, core: { limits } }: RealConfig,
  isAlone: boolean,
): Promise<OpenStore> {
  const onDamaged = (error: Error) => void process.stderr.write(`${error.message} It is left out.\n`);
  const options = { dataDir, encryptionKeys, limits, onDamaged };
  if (!redis) return openForCommand(options, { isAlone });
  const { openRedisStore } = await import('../data/shared.ts');
  return openRedisStore({ ...options, ...redis, refuseOld: !isAlone, isOperator: true });
}

async function withCore(
  config: RealConfig,
  store: OpenStore,
  work: (core: Core) => Promise<void>,
): Promise<void> {
  const { baseUrl } = config.sms;
  if (baseUrl === 'sandbox') {
    throw new AdminError(
      'With SMS_BASE_URL=sandbox the service is inside the bot, so it can’t be asked from here. Use /sms link and /sms settings in Slack.',
    );
  }
  const { createCore } = await import('../core/core.ts');
  const sms = createSmsClient(config.sms);
  try {
    const core = createCore({
      ...store,
      ...config.core,
      onReconnect: () => {},
      fingerprintSecret: await store.records.fingerprintSecret(),
      sms,
      baseUrl,
      clock: systemClock,
      log: createLog('warn', process.stderr),
    });
    await work(core);
  } finally {
    await sms.close();
  }
}

async function teamOf(records: Records, chosen: string | undefined): Promise<string> {
  const workspaces = await records.workspaces.list();
  if (workspaces.length === 0) {
    throw new AdminError(
      'No workspace is known yet: start the bot once. It then learns its workspace from Slack.',
    );
  }
  const list = workspaces.map(({ team, name }) => `  ${team}  ${oneLine(name)}`).join('\n');
  const found = chosen === undefined ? workspaces : workspaces.filter(({ team }) => team === chosen);
  const [workspace, ...others] = found;
  if (!workspace) throw new AdminError(`No workspace has this id. Choose one of these with --team:\n${list}`);
  if (others.length > 0) {
    throw new AdminError(`There are several workspaces; choose one with --team:\n${list}`);
  }
  return workspace.team;
}
