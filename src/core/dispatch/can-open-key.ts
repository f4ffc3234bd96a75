import type { Logger } from 'pino';
import { EncryptionError } from '../../records/encryption.ts';
import { instanceKey } from '../../records/schema.ts';
import type { Instance, Instances } from '../accounts/instances.ts';

/** Whether an instance's key opens. A sealed key that does not open never will, so it is tried only once. */
export function createCanOpenKey({ instances, log }: { instances: Pick<Instances, 'keyOf'>; log: Logger }) {
  /** Sealed keys that don't open, each with its instance: a copy from another instance does not open, its original does. */
  const unopened = new Set<string>();
  return (instance: Instance): boolean => {
    const { id, sealedKey } = instance;
    const sealed = `${instanceKey(instance)} ${sealedKey}`;
    if (unopened.has(sealed)) return false;
    try {
      instances.keyOf(instance);
      return true;
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      unopened.add(sealed);
      log.error({ err: error, instance: id }, "an instance sends nothing: the bot can't decrypt its API key");
      return false;
    }
  };
}
