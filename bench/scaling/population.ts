import { randomBytes } from 'node:crypto';
import type { Seed } from 'credit-sandbox';
import { DEFAULT_SETTINGS } from '../../src/core/accounts/links.ts';
import type { OpenStore } from '../../src/data/data.ts';
import { fingerprint } from '../../src/records/encryption.ts';

export const BASE_URL = 'https://service.example/api/v1';
const INSTANCES_A_WORKSPACE = 20;
/** How many records are written at a time. */
const AT_ONCE = 200;
const CREDITS = 1_000_000;

/**
 * The place of the n-th instance, from 0. Each workspace has twenty instances, each with a key, an account and a channel
 * of its own.
 */
export function placeOf(index: number): { team: string; channel: string; instance: string; key: string } {
  const name = String(index).padStart(6, '0');
  return {
    team: `T${String(Math.floor(index / INSTANCES_A_WORKSPACE)).padStart(5, '0')}`,
    channel: `C${name}`,
    instance: `inst-${name}`,
    key: `scaling-key-${name}`,
  };
}

/** The service's instances and accounts. */
export function seedOf(count: number): Seed {
  const all = Array.from({ length: count }, (_, index) => index);
  return {
    accounts: all.map((index) => ({
      user_id: index + 1,
      user_name: `Account ${index + 1}`,
      credits: CREDITS,
    })),
    instances: all.map((index) => ({ name: `I${index}`, key: placeOf(index).key, user_id: index + 1 })),
  };
}

/** Writes the records of this many instances and links, as linking would. */
export async function populate({ records, cipher }: OpenStore, count: number): Promise<void> {
  const secret = await records.fingerprintSecret();
  for (let from = 0; from < count; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, offset) =>
      write(from + offset),
    );
    await Promise.all(batch);
  }

  async function write(index: number): Promise<void> {
    const { team, channel, instance, key } = placeOf(index);
    const address = `${team}/${instance}`;
    const accountId = `${BASE_URL}#${index + 1}`;
    await records.accountInstances.set(`${accountId}/${address}`, { team, id: instance });
    await records.instances.set(address, {
      team,
      id: instance,
      name: `Instance ${index}`,
      keyFingerprint: fingerprint(secret, key),
      sealedKey: cipher.seal(key, records.instances.addressOf(address)),
      keyHint: `…${randomBytes(2).toString('hex')}`,
      accountId,
      userId: index + 1,
      userName: `Account ${index + 1}`,
      addedBy: 'U-admin',
      addedAt: 1,
      keyChangedAt: 1,
      lastGoodCheckAt: 1,
    });
    await records.links.set(`${team}/${channel}`, {
      ...DEFAULT_SETTINGS,
      team,
      channel,
      instanceId: instance,
      linkedBy: 'U-admin',
      linkedAt: 1,
    });
  }
}
