import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Cipher } from './encryption.ts';
import { type Namespace, RecordError } from './namespace.ts';
import { type Installation, type Instance, type InstanceName, instanceKey } from './schema.ts';
import type { InOneStep } from './step.ts';

/** A secret of the bot itself, sealed for this record's address. */
export const Secret = z.object({ sealed: z.string() });
type Secret = z.infer<typeof Secret>;

/** The key of the secret that API keys are fingerprinted with. */
const FINGERPRINT = 'fingerprint';

/** Handles what the encryption keys seal: API keys, tokens of installations, and the bot's own secret. */
export function createSecrets(deps: {
  secrets: Namespace<Secret>;
  instances: Namespace<Instance>;
  accountInstances: Namespace<InstanceName>;
  keyHolders: Namespace<InstanceName>;
  installations: Namespace<Installation>;
  inOneStep: InOneStep;
  cipher: Cipher;
  teamsWithOptOuts(): Promise<string[]>;
}) {
  const { secrets, instances, accountInstances, keyHolders, installations, inOneStep, cipher } = deps;
  const address = secrets.addressOf(FINGERPRINT);

  /** Seals a field of a record again. Resolves to whether another key had sealed it. */
  const resealField = <T>(of: Namespace<T>, key: string, field: keyof T & string, renew: Cipher['renew']) =>
    inOneStep(async (step) => {
      const record = await step.get(of, key);
      const sealed = record?.[field];
      if (typeof sealed !== 'string') return false;
      const renewed = renew(sealed, of.addressOf(key));
      if (renewed === sealed) return false;
      step.set(of, key, { ...(record as T), [field]: renewed });
      return true;
    });

  return {
    /**
     * The 32 bytes that API keys are fingerprinted with. The first call of all makes them; then they never change.
     * @throws EncryptionError if the stored secret does not open; RecordError if it is damaged, or missing beside keys or
     * opt-outs
     */
    fingerprintSecret: (): Promise<Buffer> =>
      inOneStep(async (step) => {
        const stored = await step.get(secrets, FINGERPRINT);
        if (stored) return Buffer.from(cipher.open(stored.sealed, address), 'base64');
        // Keys and opt-outs show that there was a secret. A new one would find no opt-out that the old one hashed.
        if ((await instances.keys()).length > 0 || (await deps.teamsWithOptOuts()).length > 0)
          throw new RecordError(secrets.name, FINGERPRINT, ['missing']);
        const secret = randomBytes(32);
        step.set(secrets, FINGERPRINT, { sealed: cipher.seal(secret.toString('base64'), address) });
        return secret;
      }),

    /**
     * Seals all secrets of other encryption keys again, under the first one. Resolves to their number. A bot's writes
     * meanwhile stay. `renew` seals an API key or token again.
     * @throws EncryptionError if the bot's own secret does not open, and what `renew` throws
     */
    async reseal(renew: Cipher['renew'] = cipher.renew): Promise<number> {
      const renewed = [await resealField(secrets, FINGERPRINT, 'sealed', cipher.renew)];
      for (const instance of await instances.list())
        renewed.push(await resealField(instances, instanceKey(instance), 'sealedKey', renew));
      for (const { id } of await installations.list())
        renewed.push(await resealField(installations, id, 'sealedTokens', renew));
      return renewed.filter(Boolean).length;
    },

    /** Forgets everything that a lost encryption key sealed. Resolves to the number of instances. */
    async forgetSecrets(): Promise<number> {
      const forgotten = await instances.keys();
      // By their keys: damaged records go, too.
      for (const kind of [accountInstances, keyHolders, instances, installations]) {
        for (const key of await kind.keys()) await kind.delete(key);
      }
      await secrets.delete(FINGERPRINT);
      return forgotten.length;
    },
  };
}
