import { randomBytes } from 'node:crypto';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Cipher, fingerprint } from '../../records/encryption.ts';
import {
  accountInstancesKey,
  type Instance,
  instanceKey,
  type Link,
  type Records,
} from '../../records/records.ts';
import type { Step } from '../../records/step.ts';
import { ApiKey } from '../../sms/api-key.ts';
import type { SmsClient } from '../../sms/client.ts';
import type { Balance } from '../../sms/schema.ts';
import type { Clock } from '../clock.ts';
import type { InstanceView } from './instance-view.ts';
import { isServed } from './is-served.ts';
import { type NoBalance, whyNoBalance } from './no-balance.ts';
import { requestWithPermit } from './permitted-request.ts';

export type { Instance } from '../../records/records.ts';

/**
 * Why a key was not taken; nothing was saved. `removed`: its instance, or the bot from the workspace, while the key was
 * tested.
 */
export type KeyRefusal =
  | NoBalance
  | { kind: 'other_account'; was: string; now: string }
  | { kind: 'key_in_use'; name: string }
  | { kind: 'removed' };

/** What came of adding or replacing a key. `known`: the workspace had this key already. */
export type KeyTaken = { kind: 'saved' | 'known'; instance: Instance; credits: number };

/** Stands for the command on the server where a person's id is expected. */
export const OPERATOR = 'admin';

/** The instances of each workspace and their API keys. Keys come in as `ApiKey` and never leave in any other form. */
export interface Instances {
  get(team: string, id: string): Promise<Instance | undefined>;
  list(team: string): Promise<Instance[]>;
  /** All instances that pay from one account, those whose keys work first. */
  ofAccount(accountId: string): Promise<Instance[]>;
  /** The instance's key, opened. @throws EncryptionError when it can't be. */
  keyOf(instance: Instance): ApiKey;
  /** Tests the key with a balance read, then saves it; a key that is known already points to its instance. */
  add(input: { team: string; name: string; key: ApiKey; by: string }): Promise<KeyTaken | KeyRefusal>;
  /** Tests the new key, then puts it in the old one's place; another account behind it must be accepted first. */
  replaceKey(
    instance: Pick<Instance, 'team' | 'id'>,
    key: ApiKey,
    options: { acceptOtherAccount: boolean },
  ): Promise<KeyTaken | KeyRefusal>;
  /** Forgets the instance and its key. Refused while channels are linked to it or sends of it are open. */
  remove(
    instance: InstanceView,
  ): Promise<{ kind: 'removed' } | { kind: 'in_use'; links: Link[]; sends: number }>;
  /**
   * Remembers when the key last worked, or since when the service refuses it; false where the key was replaced or its
   * instance removed.
   */
  noteKeyHealth(instance: Instance, healthy: boolean): Promise<boolean>;
}

const CHECK_DEADLINE_MS = 10_000;
/** How often it is written down that a key works, in ms. */
export const HEALTH_EVERY_MS = 60_000;

/** Deletes the instance, with its key, and what names it. */
export async function forgetInstance(
  { instances, accountInstances }: Pick<Records, 'instances' | 'accountInstances'>,
  instance: InstanceView,
): Promise<void> {
  await instances.delete(instanceKey(instance));
  await accountInstances.delete(accountInstancesKey(instance));
}

export function createInstances(deps: {
  ledger: Ledger;
  records: Pick<
    Records,
    'instances' | 'accountInstances' | 'links' | 'workspaces' | 'installations' | 'inOneStep'
  >;
  cipher: Cipher;
  fingerprintSecret: Buffer;
  sms: SmsClient;
  /** Where the service is: part of an account's name, since user ids count for one service only. */
  baseUrl: string;
  clock: Clock;
}): Instances {
  const { records, cipher, ledger, sms, clock } = deps;
  const { instances, accountInstances, links, inOneStep } = records;

  async function testKey(
    key: ApiKey,
    rateLimitKey: string,
  ): Promise<{ kind: 'ok'; data: Balance } | KeyRefusal> {
    const deadline = clock.steady() + CHECK_DEADLINE_MS;
    const outcome = await requestWithPermit(
      { ledger, clock },
      { rateLimitKey, priority: 'interactive', deadline },
      (limits) => sms.balance(key, limits),
    );
    if (outcome.outcome === 'accepted') return { kind: 'ok', data: outcome.data };
    return whyNoBalance(outcome);
  }

  function save(step: Step, instance: Instance): void {
    const { team, id } = instance;
    step.set(accountInstances, accountInstancesKey(instance), { team, id });
    step.set(instances, instanceKey(instance), instance);
  }

  const accountOf = (data: Balance) => `${deps.baseUrl}#${data.user_id}`;

  async function withKey(team: string, rateLimitKey: string): Promise<Instance | undefined> {
    const all = await instances.list(team);
    return all.find((instance) => instance.keyFingerprint === rateLimitKey);
  }

  function sealed(
    { team, id }: Pick<Instance, 'team' | 'id'>,
    { key, rateLimitKey, data }: { key: ApiKey; rateLimitKey: string; data: Balance },
  ) {
    const now = Math.round(clock.wall());
    return {
      keyFingerprint: rateLimitKey,
      sealedKey: cipher.seal(key.reveal(), instances.addressOf(instanceKey({ team, id }))),
      keyHint: key.hint,
      accountId: accountOf(data),
      userId: data.user_id,
      userName: data.user_name,
      keyChangedAt: now,
      lastGoodCheckAt: now,
    };
  }

  const turns = new Map<string, Promise<unknown>>();

  /**
   * Runs `add` after those before it of the same workspace: a key that is pasted twice at once must not make two
   * instances.
   */
  function inTurn<T>(team: string, add: () => Promise<T>): Promise<T> {
    const added = (turns.get(team) ?? Promise.resolve()).then(add);
    const over = added.then(
      () => undefined,
      () => undefined,
    );
    turns.set(team, over);
    void over.then(() => {
      if (turns.get(team) === over) turns.delete(team);
    });
    return added;
  }

  return {
    get: (team, id) => instances.get(instanceKey({ team, id })),
    async list(team) {
      const all = await instances.list(team);
      return all.sort((a, b) => a.name.localeCompare(b.name));
    },
    async ofAccount(accountId) {
      const named = await accountInstances.list(accountId);
      const all = await instances.getMany(named.map(instanceKey));
      const isRefused = ({ keyRefusedAt }: Instance) => Number(keyRefusedAt !== undefined);
      return all
        .filter((instance) => instance.accountId === accountId)
        .sort((one, other) => isRefused(one) - isRefused(other));
    },
    keyOf(instance) {
      const address = instances.addressOf(instanceKey(instance));
      return ApiKey.from(cipher.open(instance.sealedKey, address));
    },

    async add({ team, name, key, by }) {
      const rateLimitKey = fingerprint(deps.fingerprintSecret, key.reveal());
      const tested = await testKey(key, rateLimitKey);
      if (tested.kind !== 'ok') return tested;
      return inTurn(team, async () => {
        const known = await withKey(team, rateLimitKey);
        if (known) return { kind: 'known', instance: known, credits: tested.data.credits };
        const id = randomBytes(6).toString('base64url');
        const instance: Instance = {
          team,
          id,
          name,
          addedBy: by,
          addedAt: Math.round(clock.wall()),
          ...sealed({ team, id }, { key, rateLimitKey, data: tested.data }),
        };
        return inOneStep(async (step) => {
          // It would be polled for ever: nobody could remove it any more.
          if (!(await isServed(step, records, team))) return { kind: 'removed' };
          save(step, instance);
          return { kind: 'saved', instance, credits: tested.data.credits };
        });
      });
    },

    async replaceKey(instance, key, { acceptOtherAccount }) {
      const rateLimitKey = fingerprint(deps.fingerprintSecret, key.reveal());
      const tested = await testKey(key, rateLimitKey);
      if (tested.kind !== 'ok') return tested;
      const known = await withKey(instance.team, rateLimitKey);
      if (known && known.id !== instance.id) return { kind: 'key_in_use', name: known.name };
      const { credits, user_name: now } = tested.data;
      return inOneStep(async (step) => {
        const found = await step.get(instances, instanceKey(instance));
        if (!found) return { kind: 'removed' };
        if (accountOf(tested.data) !== found.accountId && !acceptOtherAccount)
          return { kind: 'other_account', was: found.userName, now };
        const { keyRefusedAt: _over, ...kept } = found;
        const replaced = { ...kept, ...sealed(found, { key, rateLimitKey, data: tested.data }) };
        save(step, replaced);
        return { kind: 'saved', instance: replaced, credits };
      });
    },

    async remove(instance) {
      const linked = await links.list(instance.team);
      const mine = linked.filter((link) => link.instanceId === instance.id);
      const open = await ledger.openSends(instance.id);
      if (mine.length > 0 || open.length > 0) return { kind: 'in_use', links: mine, sends: open.length };
      await forgetInstance({ instances, accountInstances }, instance);
      return { kind: 'removed' };
    },

    noteKeyHealth: (instance, healthy) =>
      inOneStep(async (step) => {
        const address = instanceKey(instance);
        const found = await step.get(instances, address);
        // The key may have been replaced, or the instance removed, while the answer was on its way.
        if (found?.keyFingerprint !== instance.keyFingerprint) return false;
        const { keyRefusedAt, ...kept } = found;
        const now = Math.round(clock.wall());
        const isOld = now - found.lastGoodCheckAt >= HEALTH_EVERY_MS;
        if (healthy && (isOld || keyRefusedAt !== undefined))
          step.set(instances, address, { ...kept, lastGoodCheckAt: now });
        if (!healthy && keyRefusedAt === undefined)
          step.set(instances, address, { ...kept, keyRefusedAt: now });
        return true;
      }),
  };
}
