import type { Instances } from '../core/accounts/instances.ts';
import type { Core } from '../core/core.ts';
import type { Scrub } from '../data/data.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Cipher } from '../records/encryption.ts';
import type { Records } from '../records/records.ts';
import type { Instance } from '../records/schema.ts';
import { AdminError } from './error.ts';

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

/** The instance of that name or id. @throws AdminError with the names that there are */
export function chosenInstance(all: Instance[], chosen: string | undefined): Instance {
  const instance = all.find(({ id, name }) => id === chosen || name === chosen);
  if (instance) return instance;
  const names = all.map(({ name }) => `"${name}"`).join(', ') || 'none yet';
  throw new AdminError(`Choose the instance with --instance NAME. There are: ${names}.`);
}
