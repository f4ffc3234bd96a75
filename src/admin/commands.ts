import { type Instances, OPERATOR } from '../core/accounts/instances.ts';
import type { KeyRefusal } from '../core/accounts/key-taker.ts';
import { holdsKey } from '../core/accounts/read-key.ts';
import { holdBackAll } from '../core/after-restore.ts';
import type { Core } from '../core/core.ts';
import { Evidence } from '../core/sends/outcome.ts';
import { SendDetails } from '../core/sends/send-details.ts';
import { formatNumber, maskNumber } from '../core/texts/phone-format.ts';
import type { Scrub } from '../data/data.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Cipher } from '../records/encryption.ts';
import type { Records } from '../records/records.ts';
import type { Instance } from '../records/schema.ts';
import { keyRefusalSentence } from '../slack/ui/setup/key-words.ts';
import { AdminError } from './error.ts';
import { keyFromInput } from './key-input.ts';
import { say } from './say.ts';

/** What the command line may say. */
export interface Options {
  name?: string | undefined;
  instance?: string | undefined;
  team?: string | undefined;
  'accept-account'?: boolean | undefined;
  yes?: boolean | undefined;
  to?: string | undefined;
  phone?: string | undefined;
}

/** What a command works with. */
export interface Tools {
  options: Options;
  records: Records;
  cipher: Cipher;
  ledger: Ledger;
  /** Takes what was deleted out of the store's files. */
  scrub: Scrub;
  /** The workspace that is meant. @throws AdminError when there is none, or several */
  team(): Promise<string>;
  /** Does the work while no bot uses the data folder; with Redis nobody can tell. @throws StoreError when one does */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Hands over what may ask the service about keys. @throws AdminError when there is no service to ask */
  withInstances(work: (instances: Instances) => Promise<void>): Promise<void>;
  /** The same with all that the product does; nothing runs by itself. @throws AdminError likewise */
  withCore(work: (core: Core) => Promise<void>): Promise<void>;
}

/** The commands by name. */
export const COMMANDS: { [name: string]: (tools: Tools) => Promise<void> } = {
  'add-instance': addInstance,
  'set-key': setKey,
  status,
  'list-unknown': listUnknown,
  'rotate-keys': rotateKeys,
  'forget-keys': forgetKeys,
  'after-restore': afterRestore,
};

async function addInstance({ team, withInstances, options }: Tools): Promise<void> {
  const name = options.name?.trim();
  if (!name) throw new AdminError('Give the instance a name: --name "Sales"');
  const workspace = await team();
  await withInstances(async (instances) => {
    const key = await keyFromInput();
    if (holdsKey(name, key.reveal())) {
      throw new AdminError('The name holds the API key, and everybody would see it. Nothing was added.');
    }
    const taken = await instances.add({ team: workspace, name, key, by: OPERATOR });
    if (!('instance' in taken)) throw new AdminError(refusal(taken));
    const { instance, credits } = taken;
    say(
      taken.kind === 'known'
        ? `This key is already saved as "${instance.name}" (${instance.keyHint}). Nothing was added.`
        : `Added "${instance.name}" (${instance.keyHint}), account ${instance.userName}, ${credits} credits. Now type /sms link in a channel and choose it.`,
    );
  });
}

async function setKey({ team, withInstances, options }: Tools): Promise<void> {
  const workspace = await team();
  await withInstances(async (instances) => {
    const instance = chosenInstance(await instances.list(workspace), options.instance);
    const taken = await instances.replaceKey(instance, await keyFromInput(), {
      acceptOtherAccount: options['accept-account'] === true,
    });
    if (!('instance' in taken)) throw new AdminError(refusal(taken));
    const { keyHint, userName } = taken.instance;
    say(`"${instance.name}" now uses ${keyHint}, account ${userName}, ${taken.credits} credits.`);
  });
}

async function status({ team, records, ledger }: Tools): Promise<void> {
  const workspace = await team();
  const links = await records.links.list(workspace);
  const unknowns = await ledger.unknowns(workspace);
  let linked = 0;
  for (const instance of await records.instances.list(workspace)) {
    const channels = links.filter((link) => link.instanceId === instance.id).length;
    linked += channels;
    say(await describeInstance(instance, channels, ledger));
  }
  say(`linked channels: ${linked} · unknown sends: ${unknowns.length}`);
}

async function describeInstance(instance: Instance, channels: number, ledger: Ledger): Promise<string> {
  const account = await ledger.account(instance.accountId);
  const open = await ledger.openSends(instance.id);
  const key =
    instance.keyRefusedAt === undefined
      ? `last good check ${when(instance.lastGoodCheckAt)}`
      : `REFUSED since ${when(instance.keyRefusedAt)}`;
  const credits = account ? `${account.credits} credits at ${when(account.asOf)}` : 'balance not read yet';
  const parts = [`"${instance.name}" ${instance.keyHint}`, key, `${instance.userName}: ${credits}`];
  return [...parts, `channels: ${channels}`, `open sends: ${open.length}`].join(' · ');
}

async function listUnknown({ team, ledger }: Tools): Promise<void> {
  const unknowns = await ledger.unknowns(await team());
  for (const { send, chunk } of unknowns) {
    const details = SendDetails.safeParse(send.details).data;
    const to = details ? maskNumber(formatNumber(details.e164)) : `${chunk.messages.length} messages`;
    const evidence = Evidence.safeParse(chunk.evidence).data;
    const verdict = evidence ? evidence.verdict.replaceAll('_', ' ') : 'no evidence yet';
    const again = chunk.resentAs === undefined ? [] : [`sent again by a person as ${chunk.resentAs}`];
    const parts = [
      send.id,
      when(chunk.settledAt ?? send.createdAt),
      `channel ${send.channelId}`,
      `to ${to}`,
      verdict,
    ];
    say([...parts, ...again].join(' · '));
  }
  say(
    unknowns.length === 0
      ? 'No send is unknown.'
      : `${unknowns.length} unknown. Switchboard never sends them again by itself.`,
  );
}

async function rotateKeys({ records, cipher, ledger }: Tools): Promise<void> {
  const count = (await records.reseal()) + (await ledger.resealOptOuts(cipher.renew));
  say(
    `${count} secrets were sealed again under the first key. You can remove the other keys of ENCRYPTION_KEY now.`,
  );
}

async function forgetKeys({ records, ledger, options, alone }: Tools): Promise<void> {
  if (!options.yes) {
    throw new AdminError(
      'This forgets every instance, its API key, and all opt-outs. Sends and settings stay. If ENCRYPTION_KEY is lost, say --yes.',
    );
  }
  const { count, optOuts } = await alone(async () => ({
    optOuts: await ledger.forgetOptOuts(),
    count: await records.forgetSecrets(),
  }));
  say(`Instances forgotten: ${count}. Start the bot, add them again, and link each channel again.`);
  if (optOuts > 0) {
    say(
      `Opt-outs lost: ${optOuts}. They were sealed under the lost key. Import them again with /sms optouts before anybody sends.`,
    );
  }
}

/** The instance of that name or id. @throws AdminError with the names that there are */
export function chosenInstance(all: Instance[], chosen: string | undefined): Instance {
  const instance = all.find(({ id, name }) => id === chosen || name === chosen);
  if (instance) return instance;
  const names = all.map(({ name }) => `"${name}"`).join(', ') || 'none yet';
  throw new AdminError(`Choose the instance with --instance NAME. There are: ${names}.`);
}

async function afterRestore({ ledger, records, alone }: Tools): Promise<void> {
  const held = await alone(() => holdBackAll({ ledger, records }));
  say(
    `Jobs paused: ${held.jobs} · paused before: ${held.paused} · texts cancelled: ${held.texts} · drafts expired: ${held.drafts}.`,
  );
  say(
    'Nothing is sent until a person presses Resume on a job. Now start the bot. Each card says what happened.',
  );
}

/** In the words of the forms in Slack, and what else an operator can do. */
function refusal(why: KeyRefusal): string {
  const more: { [kind in KeyRefusal['kind']]?: string } = {
    unavailable: ' If the service is up, look at SMS_BASE_URL.',
    other_account: ' If that is meant, add --accept-account.',
  };
  return `${keyRefusalSentence(why)}${more[why.kind] ?? ''}`;
}

function when(ms: number): string {
  return new Date(ms).toISOString();
}
