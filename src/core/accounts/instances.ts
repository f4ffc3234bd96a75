import type { Records } from '../../records/records.ts';
import {
  accountInstancesKey,
  type Instance,
  instanceKey,
  keyHolderKey,
  type Link,
} from '../../records/schema.ts';
import { ApiKey } from '../../sms/api-key.ts';
import { statesOfInstance } from '../state-names.ts';
import type { InstanceView } from './instance-view.ts';
import { createKeyTaker, type KeyTakerDeps } from './key-taker.ts';
import { type KeyTrouble, keyTroubleOf, storedTrouble } from './key-trouble.ts';

export type { Instance } from '../../records/schema.ts';

/** The "person" of changes that an operator makes by a command on the server. */
export const OPERATOR = 'admin';

/** How often the bot records that a key works, in ms. */
export const HEALTH_EVERY_MS = 60_000;

/** What an answer says of a key. `works`: its balance is the linked account's. `accepted`: the service took a text. */
export type KeyHealthSeen = 'works' | 'accepted' | KeyTrouble;

export type Instances = ReturnType<typeof createInstances>;

/** The instances of each workspace and their API keys. Keys come in as `ApiKey` and never leave in any other form. */
export function createInstances(deps: KeyTakerDeps & { records: Pick<Records, 'links'> }) {
  const { records, cipher, ledger, clock } = deps;
  const { instances, accountInstances, keyHolders, links, inOneStep } = records;
  const keyTaker = createKeyTaker(deps);

  /** The links of the channels that pay from the instance. */
  async function linksTo({ team, id }: InstanceView): Promise<Link[]> {
    return (await links.list(team)).filter((link) => link.instanceId === id);
  }

  return {
    ...keyTaker,
    linksTo,
    /** The instance; undefined if there is none, or it is damaged. */
    get: (team: string, id: string) => instances.get(instanceKey({ team, id })),
    /** Whether the instance is stored, but can't be read. */
    async isDamaged(team: string, id: string): Promise<boolean> {
      const { text, record } = await instances.stored(instanceKey({ team, id }));
      return text !== undefined && !record;
    },
    async list(team: string): Promise<Instance[]> {
      const all = await instances.list(team);
      return all.sort((a, b) => a.name.localeCompare(b.name));
    },
    /** All instances that pay from one account, those whose keys work first. */
    async ofAccount(accountId: string): Promise<Instance[]> {
      const named = await accountInstances.list(accountId);
      const all = await instances.getMany(named.map(instanceKey));
      const isRefused = ({ keyRefusedAt }: Instance) => Number(keyRefusedAt !== undefined);
      return all
        .filter((instance) => instance.accountId === accountId)
        .sort((one, other) => isRefused(one) - isRefused(other));
    },
    /** The instance's key, opened. @throws EncryptionError if it can't be opened. */
    keyOf(instance: Instance): ApiKey {
      const address = instances.addressOf(instanceKey(instance));
      return ApiKey.from(cipher.open(instance.sealedKey, address));
    },

    /** Deletes the instance and its key. Refuses while a channel is linked to it, or a send of it is open. */
    async remove(
      instance: InstanceView,
    ): Promise<{ kind: 'removed' } | { kind: 'in_use'; links: Link[]; sends: number }> {
      const mine = await linksTo(instance);
      const open = await ledger.openSends(instance.id);
      if (mine.length > 0 || open.length > 0) return { kind: 'in_use', links: mine, sends: open.length };
      const address = instanceKey(instance);
      const found = await inOneStep(async (step) => {
        const stored = await step.get(instances, address);
        step.delete(instances, address);
        step.delete(accountInstances, accountInstancesKey(stored ?? instance));
        if (stored) step.delete(keyHolders, keyHolderKey(stored));
        return stored;
      });
      // From now on no channel can be linked to it. But a channel may have been linked just before.
      const linked = found ? await linksTo(instance) : [];
      if (found && linked.length > 0 && (await keyTaker.putBack(found)))
        return { kind: 'in_use', links: linked, sends: 0 };
      await ledger.endStates(statesOfInstance(instance));
      return { kind: 'removed' };
    },

    /** Records what an answer says of the key. False if it says nothing, or the key is replaced or its instance removed. */
    noteKeyHealth: (instance: Instance, health: KeyHealthSeen): Promise<boolean> =>
      inOneStep(async (step) => {
        const address = instanceKey(instance);
        const found = await step.get(instances, address);
        // While the answer was on its way, somebody replaced or removed the key, or accepted its new account.
        if (found?.keyFingerprint !== instance.keyFingerprint || found.accountId !== instance.accountId)
          return false;
        const before = keyTroubleOf(found);
        // A text that the service accepts does not say who paid for it.
        if (health === 'accepted' && before === 'other_account') return false;
        const { keyRefusedAt: _since, otherAccount: _why, ...kept } = found;
        const now = Math.round(clock.wall());
        // If the last check lies in the future, somebody has set the clock back since.
        const isOld = Math.abs(now - found.lastGoodCheckAt) >= HEALTH_EVERY_MS;
        if (health === 'works' || health === 'accepted') {
          if (isOld || before) step.set(instances, address, { ...kept, lastGoodCheckAt: now });
        } else if (health !== before && before !== 'other_account') {
          // If another account has a refused key, keep that trouble: it may still have the key once it works.
          step.set(instances, address, { ...kept, keyRefusedAt: now, ...storedTrouble(health) });
        }
        return true;
      }),
  };
}
