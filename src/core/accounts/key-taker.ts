import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Cipher, fingerprint } from '../../records/encryption.ts';
import type { Records } from '../../records/records.ts';
import { accountInstancesKey, type Instance, instanceKey, keyHolderKey } from '../../records/schema.ts';
import type { Step } from '../../records/step.ts';
import type { ApiKey } from '../../sms/api-key.ts';
import type { SmsClient } from '../../sms/client.ts';
import type { Balance } from '../../sms/schema.ts';
import type { Clock } from '../clock.ts';
import { isServed } from '../workspaces/is-served.ts';
import { requestWithPermit } from './permitted-request.ts';
import { type NoFigure, whyNoBalance } from './read-balance.ts';

/** A change of the account that pays, by the ids of both accounts. An admin accepts this change and no other. */
export interface PayerChange {
  from: string;
  to: string;
}

/** Why a key was not saved. `removed`: meanwhile somebody removed its instance, or the bot from the workspace. */
export type KeyRefusal =
  | NoFigure
  | { kind: 'other_account'; was: string; now: string; change: PayerChange }
  | { kind: 'key_in_use'; name: string }
  | { kind: 'removed' };

/** A key was added or replaced. `known`: the workspace had this key already. */
export type KeyTaken = { kind: 'saved' | 'known'; instance: Instance; credits: number };

export type KeyTaker = ReturnType<typeof createKeyTaker>;

export interface KeyTakerDeps {
  ledger: Ledger;
  records: Pick<
    Records,
    'instances' | 'accountInstances' | 'keyHolders' | 'workspaces' | 'installations' | 'inOneStep'
  >;
  cipher: Cipher;
  fingerprintSecret: Buffer;
  sms: SmsClient;
  /** Where the service is: part of an account's name, since user ids count for one service only. */
  baseUrl: string;
  clock: Clock;
}

const CHECK_DEADLINE_MS = 10_000;

/** Takes in API keys: tests each with a balance read, and seals it. */
export function createKeyTaker(deps: KeyTakerDeps) {
  const { records, cipher, ledger, sms, clock } = deps;
  const { instances, accountInstances, keyHolders, inOneStep } = records;

  /** The key with its fingerprint and its balance, if the service accepts it. */
  async function testKey(key: ApiKey) {
    const rateLimitKey = fingerprint(deps.fingerprintSecret, key.reveal());
    const deadline = clock.steady() + CHECK_DEADLINE_MS;
    const take = (token: string) => ledger.permit(rateLimitKey, 'interactive', token);
    const asked = { rateLimitKey, deadline, take };
    const answer = await requestWithPermit({ ledger, clock }, asked, (limits) => sms.balance(key, limits));
    if (answer.outcome !== 'accepted') return whyNoBalance(answer);
    await ledger.returnPermit(rateLimitKey, answer.token, 'answered');
    return { kind: 'ok' as const, key, rateLimitKey, data: answer.data };
  }

  type Tested = Exclude<Awaited<ReturnType<typeof testKey>>, NoFigure>;

  function save(step: Step, instance: Instance): void {
    const { team, id } = instance;
    step.set(keyHolders, keyHolderKey(instance), { team, id });
    step.set(accountInstances, accountInstancesKey(instance), { team, id });
    step.set(instances, instanceKey(instance), instance);
  }

  const accountOf = (data: Balance) => `${deps.baseUrl}#${data.user_id}`;

  /** The workspace's instance with this key. If another instance gets the key before the step ends, it runs again. */
  async function withKey(step: Step, team: string, keyFingerprint: string): Promise<Instance | undefined> {
    const holder = await step.get(keyHolders, keyHolderKey({ team, keyFingerprint }));
    const held = holder && (await step.get(instances, instanceKey(holder)));
    if (held?.keyFingerprint === keyFingerprint) return held;
    // An earlier version noted no holders.
    const all = await instances.list(team);
    return all.find((instance) => instance.keyFingerprint === keyFingerprint);
  }

  /** What an instance's record keeps of its key, and of the account that pays. */
  function keyFields({ team, id }: Pick<Instance, 'team' | 'id'>, { key, rateLimitKey, data }: Tested) {
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

  return {
    /** Adds an instance, or finds the one that has this key. If `name` is empty, it gets the account's name. */
    async add(given: {
      team: string;
      name: string;
      key: ApiKey;
      by: string;
    }): Promise<KeyTaken | KeyRefusal> {
      const { team, name, key, by } = given;
      const tested = await testKey(key);
      if (tested.kind !== 'ok') return tested;
      const { credits } = tested.data;
      const id = randomBytes(6).toString('base64url');
      const instance: Instance = {
        team,
        id,
        name: name || tested.data.user_name.trim() || key.hint,
        addedBy: by,
        addedAt: Math.round(clock.wall()),
        ...keyFields({ team, id }, tested),
      };
      return inOneStep(async (step) => {
        const known = await withKey(step, team, tested.rateLimitKey);
        if (known) return { kind: 'known', instance: known, credits };
        // Otherwise the bot would poll it for ever, and nobody could remove it.
        if (!(await isServed(step, records, team))) return { kind: 'removed' };
        save(step, instance);
        return { kind: 'saved', instance, credits };
      });
    },

    /** Saves a removed instance again. False: another one has its key by now. */
    putBack: (instance: Instance): Promise<boolean> =>
      inOneStep(async (step) => {
        const known = await withKey(step, instance.team, instance.keyFingerprint);
        if (!known) save(step, instance);
        return !known || known.id === instance.id;
      }),

    /** Replaces the instance's key. If the new key has another account, that must be the accepted one; `true` accepts any. */
    async replaceKey(
      instance: Pick<Instance, 'team' | 'id'>,
      key: ApiKey,
      { acceptOtherAccount }: { acceptOtherAccount: boolean | PayerChange },
    ): Promise<KeyTaken | KeyRefusal> {
      const tested = await testKey(key);
      if (tested.kind !== 'ok') return tested;
      const { credits, user_name: now } = tested.data;
      return inOneStep(async (step) => {
        const known = await withKey(step, instance.team, tested.rateLimitKey);
        if (known && known.id !== instance.id) return { kind: 'key_in_use', name: known.name };
        const found = await step.get(instances, instanceKey(instance));
        if (!found) return { kind: 'removed' };
        const change = { from: found.accountId, to: accountOf(tested.data) };
        const isAccepted = acceptOtherAccount === true || isDeepStrictEqual(acceptOtherAccount, change);
        if (change.to !== change.from && !isAccepted)
          return { kind: 'other_account', was: found.userName, now, change };
        const { keyRefusedAt: _since, otherAccount: _why, ...kept } = found;
        const replaced = { ...kept, ...keyFields(found, tested) };
        step.delete(accountInstances, accountInstancesKey(found));
        step.delete(keyHolders, keyHolderKey(found));
        save(step, replaced);
        return { kind: 'saved', instance: replaced, credits };
      });
    },
  };
}
