import type { parseArgs } from 'node:util';
import type { Core } from '../core/core.ts';
import type { Instance } from '../records/schema.ts';
import { AdminError } from './error.ts';
import type { AdminStore } from './open-store.ts';

/** What the command line may say. */
export const OPTIONS = {
  name: { type: 'string' },
  instance: { type: 'string' },
  team: { type: 'string' },
  'accept-account': { type: 'boolean' },
  yes: { type: 'boolean' },
  to: { type: 'string' },
  phone: { type: 'string' },
} as const;
export type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** What a command works with. */
export interface Tools extends Omit<AdminStore, 'close'> {
  options: Options;
  /** The workspace that is meant. @throws AdminError when there is none, or several */
  team(): Promise<string>;
  /** Hands over what the product does; nothing runs by itself. @throws AdminError when there is no service to ask */
  withCore(work: (core: Core) => Promise<void>): Promise<void>;
}

/** The instance of that name or id. @throws AdminError with the names that there are */
export function chosenInstance(all: Instance[], chosen: string | undefined): Instance {
  const instance = all.find(({ id, name }) => id === chosen || name === chosen);
  if (instance) return instance;
  const names = all.map(({ name }) => `"${name}"`).join(', ') || 'none yet';
  throw new AdminError(`Choose the instance with --instance NAME. There are: ${names}.`);
}
