import { parseArgs } from 'node:util';
import { ConfigError, loadEnvFile, type RealConfig, readConfig } from './config.ts';
import { systemClock } from './core/clock.ts';
import { createInstances, type Instance, type Instances, type KeyRefusal } from './core/instances.ts';
import { formatNumber, maskNumber } from './core/phone-format.ts';
import { readKey } from './core/read-key.ts';
import { SendDetails } from './core/results.ts';
import { createSmsClient } from './sms/client.ts';
import { explainStart } from './start-error.ts';
import type { Ledger } from './store/ledger.ts';
import type { Records } from './store/records.ts';
import { createSqliteLedger } from './store/sqlite/ledger.ts';
import { openRecords } from './store/sqlite/store.ts';

const USAGE = `What an operator does on the server. The bot may be running.

  npm run admin -- add-instance --name NAME     add an instance; its API key is read from standard input
  npm run admin -- set-key --instance NAME      replace an instance's key, read from standard input
                   [--accept-account]           also when the key belongs to another account
  npm run admin -- status                       instances, keys, links, open and unknown sends
  npm run admin -- list-unknown                 sends whose fate is unknown, with their evidence
  npm run admin -- rotate-keys                  seal everything again under the first key of ENCRYPTION_KEY

  --team ID chooses the workspace, where there are several.`;

/** A command can't be carried out; the message says why. */
class AdminError extends Error {}

/** What a command works with. */
interface Tools {
  team: string;
  instances: Instances;
  records: Records;
  ledger: Ledger;
  options: { name?: string; instance?: string; 'accept-account'?: boolean };
}

const COMMANDS: { [name: string]: (tools: Tools) => Promise<void> } = {
  'add-instance': addInstance,
  'set-key': setKey,
  status,
  'list-unknown': listUnknown,
  'rotate-keys': rotateKeys,
};

await main().catch((error: unknown) => {
  const known = error instanceof AdminError || error instanceof ConfigError;
  const sentence = known ? error.message : explainStart(error, 0);
  if (sentence === undefined) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: { name: { type: 'string' }, instance: { type: 'string' }, team: { type: 'string' } },
  });
  const [name = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command || positionals.length > 1) {
    // Words that are not understood are not repeated: one may be a key.
    throw new AdminError(name === '' ? USAGE : `This is not a command, or has words too many.\n\n${USAGE}`);
  }
  loadEnvFile();
  const config = readConfig(process.env);
  if (config.mode !== 'real')
    throw new AdminError('Set the variables that README.md lists first: the bot uses the same.');
  const text = (value: unknown) => (typeof value === 'string' ? { value } : undefined);
  await withTools(config, text(values.team)?.value, (tools) =>
    command({
      ...tools,
      options: {
        ...(typeof values.name === 'string' ? { name: values.name } : {}),
        ...(typeof values.instance === 'string' ? { instance: values.instance } : {}),
        'accept-account': values['accept-account'] === true,
      },
    }),
  );
}

async function withTools(
  config: RealConfig,
  chosenTeam: string | undefined,
  work: (tools: Omit<Tools, 'options'>) => Promise<void>,
): Promise<void> {
  const { db, cipher, records } = openRecords(config);
  try {
    const ledger = createSqliteLedger(db, {
      permits: config.sms.rateLimit,
      windowMs: config.sms.rateWindowMs,
      leaseMs: config.leaseMs,
      timeoutMs: config.sms.timeoutMs,
    });
    const team = await teamOf(records, chosenTeam);
    const { baseUrl, baseUrlAlt, timeoutMs } = config.sms;
    // The sandbox lives in the bot's own process: from here there is nothing to ask.
    const reachable = baseUrl === 'sandbox' ? 'http://127.0.0.1:9/api/v1' : baseUrl;
    const sms = createSmsClient({
      baseUrl: reachable,
      timeoutMs,
      ...(baseUrlAlt === undefined ? {} : { baseUrlAlt }),
    });
    const instances = createInstances({
      instances: records.instances,
      links: records.links,
      cipher,
      fingerprintSecret: await records.fingerprintSecret(),
      ledger,
      sms,
      baseUrl,
      clock: systemClock,
    });
    await work({ team, instances, records, ledger });
    await sms.close();
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

async function addInstance({ team, instances, options }: Tools): Promise<void> {
  const name = options.name?.trim();
  if (!name) throw new AdminError('Give the instance a name: --name "Sales"');
  const taken = await instances.add({ team, name, key: await keyFromInput(), by: 'admin' });
  if (!('instance' in taken)) throw new AdminError(refusal(taken));
  const { instance } = taken;
  say(
    taken.kind === 'known'
      ? `This key is known already: it is the key of "${instance.name}" (${instance.keyHint}). Nothing was added.`
      : `Added "${instance.name}" (${instance.keyHint}), account ${instance.userName}, ${taken.credits} credits. Now use /sms link in a channel and choose it.`,
  );
}

async function setKey({ team, instances, options }: Tools): Promise<void> {
  const all = await instances.list(team);
  const instance = all.find(({ id, name }) => id === options.instance || name === options.instance);
  if (!instance) {
    const names = all.map(({ name }) => `"${name}"`).join(', ') || 'none yet';
    throw new AdminError(`Choose the instance with --instance NAME; there are: ${names}.`);
  }
  const taken = await instances.replaceKey(instance, await keyFromInput(), {
    acceptOtherAccount: options['accept-account'] === true,
  });
  if (!('instance' in taken)) throw new AdminError(refusal(taken));
  say(
    `"${instance.name}" now uses ${taken.instance.keyHint}, account ${taken.instance.userName}, ${taken.credits} credits.`,
  );
}

async function status({ team, instances, records, ledger }: Tools): Promise<void> {
  const links = await records.links.list(team);
  const unknowns = await ledger.unknowns(team);
  for (const instance of await instances.list(team))
    await sayInstance(instance, links.filter((link) => link.instanceId === instance.id).length, ledger);
  say(`${links.length} linked channels · ${unknowns.length} unknown sends`);
}

async function sayInstance(instance: Instance, links: number, ledger: Ledger): Promise<void> {
  const account = await ledger.account(instance.accountId);
  const open = await ledger.openSends(instance.id);
  const key =
    instance.keyRefusedAt === undefined
      ? `last good check ${when(instance.lastGoodCheckAt)}`
      : `REFUSED since ${when(instance.keyRefusedAt)}`;
  const credits = account ? `${account.credits} credits at ${when(account.asOf)}` : 'balance not read yet';
  say(
    `"${instance.name}" ${instance.keyHint} · ${key} · ${instance.userName}: ${credits} · ${links} channels · ${open.length} open sends`,
  );
}

async function listUnknown({ team, ledger }: Tools): Promise<void> {
  const unknowns = await ledger.unknowns(team);
  for (const { send, chunk } of unknowns) {
    const details = SendDetails.safeParse(send.details).data;
    const to = details ? maskNumber(formatNumber(details.e164)) : `${chunk.messages.length} messages`;
    const verdict = (chunk.evidence as { verdict?: string } | undefined)?.verdict ?? 'no evidence yet';
    const again = chunk.resentAs === undefined ? '' : ` · sent again by a person as ${chunk.resentAs}`;
    say(
      `${send.id} · ${when(chunk.settledAt ?? send.createdAt)} · channel ${send.place} · to ${to} · ${verdict.replaceAll('_', ' ')}${again}`,
    );
  }
  say(
    unknowns.length === 0
      ? 'No send is unknown.'
      : `${unknowns.length} unknown. None of them is ever sent again by the program.`,
  );
}

async function rotateKeys({ records }: Tools): Promise<void> {
  say(
    `${await records.reseal()} secrets were sealed again under the first key. The other keys of ENCRYPTION_KEY can go now.`,
  );
}

/** The key from standard input: piped, or typed without being shown. */
async function keyFromInput() {
  const { stdin } = process;
  if (stdin.isTTY) {
    process.stderr.write('Paste the API key and press Enter (it is not shown): ');
    stdin.setRawMode(true);
  }
  let typed = '';
  for await (const part of stdin.setEncoding('utf8')) {
    typed += part;
    if (stdin.isTTY && typed.includes('\u0003')) throw new AdminError('\nNothing was changed.');
    if (/[\r\n]/.test(typed.trimStart())) break;
  }
  if (stdin.isTTY) {
    stdin.setRawMode(false);
    process.stderr.write('\n');
  }
  const read = readKey(typed);
  if ('error' in read) throw new AdminError(`${read.error} Nothing was changed.`);
  return read.key;
}

function refusal(why: KeyRefusal): string {
  switch (why.kind) {
    case 'refused':
      return 'The service does not accept this key. Nothing was changed.';
    case 'busy':
      return `This key has used up its requests for the moment: try again in ${why.seconds} s. Nothing was changed.`;
    case 'unavailable':
      return 'The service could not be asked about this key (down, slow, or SMS_BASE_URL is wrong or "sandbox"). Nothing was changed.';
    case 'other_account':
      return `This key belongs to another account (${why.now}; so far: ${why.was}). If that is meant, add --accept-account. Nothing was changed.`;
    case 'key_in_use':
      return `This key belongs to the instance "${why.name}" already. Nothing was changed.`;
  }
}

function when(ms: number): string {
  return new Date(ms).toISOString();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
