import type { Logger } from 'pino';
import { EncryptionError } from '../../records/encryption.ts';
import type { Instance, Instances } from '../accounts/instances.ts';

/** Whether an instance's key opens. Tries each sealed key once: it opens always or never, and a new key is sealed again. */
export function createCanOpenKey({ instances, log }: { instances: Pick<Instances, 'keyOf'>; log: Logger }) {
  /** Sealed keys that don't open. The log has named their instances. */
  const unopened = new Set<string>();
  return (instance: Instance): boolean => {
    const { id, sealedKey } = instance;
    if (unopened.has(sealedKey)) return false;
    try {
      instances.keyOf(instance);
      return true;
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      unopened.add(sealedKey);
      log.error({ err: error, instance: id }, 'an instance sends nothing, since its key does not open');
      return false;
    }
  };
}
