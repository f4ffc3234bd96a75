import { OPERATOR } from '../core/accounts/instances.ts';
import type { KeyRefusal } from '../core/accounts/key-taker.ts';
import { holdsKey } from '../core/accounts/read-key.ts';
import { statesOfInstance } from '../core/state-names.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { EncryptionError } from '../records/encryption.ts';
import { splitKey } from '../records/schema.ts';
import { oneLine } from '../slack/ui/safe-text.ts';
import { keyRefusalSentence } from '../slack/ui/setup/key-words.ts';
import { keyFromInput } from './key-input.ts';
import { AdminError, say } from './terminal.ts';
import { chosenInstance, type Given, type Tools } from './tools.ts';
import { withTools } from './with-tools.ts';

/** `add-instance --name NAME`: adds an instance; its key comes from standard input. */
export async function addInstance({ team, withCore, options }: Tools): Promise<void> {
  const name = options.name?.trim();
  if (!name) throw new AdminError('Give the instance a name: --name "Sales"');
  const workspace = await team();
  await withCore(async ({ instances }) => {
    const key = await keyFromInput();
    if (holdsKey(name, key.reveal())) {
      throw new AdminError('The name holds the API key, and everybody would see it. Nothing was added.');
    }
    const taken = await instances.add({ team: workspace, name, key, by: OPERATOR });
    if (!('instance' in taken)) throw new AdminError(refusal(taken));
    const { instance, credits } = taken;
    const saved = `"${oneLine(instance.name)}" (${instance.keyHint})`;
    say(
      taken.kind === 'known'
        ? `This key is already saved as ${saved}. Nothing was added.`
        : `Added ${saved}, account ${oneLine(instance.userName)}, ${credits} credits. Now type /sms link in a channel and choose it.`,
    );
  });
}

/** `set-key --instance NAME`: replaces an instance's key. */
export async function setKey({ team, withCore, options }: Tools): Promise<void> {
  const workspace = await team();
  await withCore(async ({ instances }) => {
    const instance = chosenInstance(await instances.list(workspace), options.instance);
    const taken = await instances.replaceKey(instance, await keyFromInput(), {
      acceptOtherAccount: options['accept-account'] === true,
    });
    if (!('instance' in taken)) throw new AdminError(refusal(taken));
    const { keyHint, userName } = taken.instance;
    say(
      `"${oneLine(instance.name)}" now uses ${keyHint}, account ${oneLine(userName)}, ${taken.credits} credits.`,
    );
  });
}

/**
 * `rotate-keys`: seals all secrets again under the first encryption key. An API key, token or opt-out that does not open
 * stays as it is.
 */
export async function rotateKeys({ records, cipher, ledger }: Tools): Promise<void> {
  /** By address, so that a step which runs again counts once. */
  const unopened = new Map<string, EncryptionError>();
  function renew(sealed: string, address: string): string {
    try {
      return cipher.renew(sealed, address);
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      unopened.set(address, error);
      return sealed;
    }
  }
  const count = (await records.reseal(renew)) + (await ledger.resealOptOuts(renew));
  const isKeyMissing = [...unopened.values()].some(({ code }) => code === 'unknown_key');
  const more = isKeyMissing ? '' : ' You can remove the other keys of ENCRYPTION_KEY now.';
  say(`${count} secrets were sealed again under the first key.${more}`);
  if (unopened.size === 0) return;
  const reasons = [...unopened.values()].map(({ message }) => message);
  throw new AdminError(
    [...reasons, `Secrets that stay as they were, since they can’t be read: ${unopened.size}.`].join('\n'),
  );
}

/** `forget-keys --yes`: forgets the secrets that a lost encryption key sealed, and stops the jobs that need them. */
export async function forgetKeys(given: Given): Promise<void> {
  if (!given.options.yes) {
    throw new AdminError(
      'This forgets every instance with its API key, every Slack installation, and all opt-outs. Jobs stop. Sends and settings stay. If ENCRYPTION_KEY is lost, add --yes.',
    );
  }
  await withTools(forgetSecrets, { isAlone: true })(given);
}

/** The work of `forget-keys`, in a store that no bot uses. Says what it did. */
export async function forgetSecrets({ records, ledger }: Tools): Promise<void> {
  // By their keys: jobs of a damaged instance must stop, too.
  const instances = (await records.instances.keys()).map(splitKey).map(([team, id]) => ({ team, id }));
  const jobs = await stopJobs(ledger, instances);
  await ledger.endStates(instances.flatMap(statesOfInstance));
  const optOuts = await ledger.forgetOptOuts();
  const count = await records.forgetSecrets();
  say(
    `Jobs stopped: ${jobs} · instances forgotten: ${count}. Start the bot, add them again, and link each channel again.`,
  );
  if (optOuts > 0) {
    say(
      `Opt-outs lost: ${optOuts}. They were sealed under the lost key. Import them again with /sms optouts before anybody sends.`,
    );
  }
}

/** Stops all jobs, and returns how many. No job could go on: an instance that somebody adds again is another one. */
async function stopJobs(ledger: Ledger, instances: { id: string }[]): Promise<number> {
  let stopped = 0;
  for (const { id } of instances) {
    for (const send of await ledger.openSends(id)) {
      if (send.kind === 'job' && (await ledger.stop(send.id))) stopped += 1;
    }
  }
  return stopped;
}

/** The sentence that the forms in Slack use, and what an operator can do besides. */
function refusal(why: KeyRefusal): string {
  const more: { [kind in KeyRefusal['kind']]?: string } = {
    unavailable: ' If the service is up, look at SMS_BASE_URL.',
    other_account: ' If that is meant, add --accept-account.',
  };
  return `${keyRefusalSentence(why)}${more[why.kind] ?? ''}`;
}
