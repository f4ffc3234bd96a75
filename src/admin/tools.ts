import type { parseArgs } from 'node:util';
import type { RealConfig } from '../config/read-config.ts';
import type { Core } from '../core/core.ts';
import type { OpenStore } from '../data/data.ts';
import type { Instance } from '../records/schema.ts';
import { oneLine } from '../slack/ui/safe-text.ts';
import { AdminError } from './terminal.ts';

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

/** What every command gets. `withTools` makes tools of it. */
export interface Given {
  config: RealConfig;
  options: Options;
}
export type Command = (given: Given) => Promise<void>;

export interface Tools extends OpenStore {
  options: Options;
  /** The id of the workspace to work on. @throws AdminError if there is none, or several and no `--team` */
  team(): Promise<string>;
  /** Does the work with a core that runs nothing in the background. @throws AdminError with the sandbox as the service */
  withCore(work: (core: Core) => Promise<void>): Promise<void>;
}

/** The instance of this name or id. @throws AdminError that lists the known names, or the ids of those with this name */
export function chosenInstance(all: Instance[], chosen: string | undefined): Instance {
  const named = all.filter(({ name }) => name === chosen || oneLine(name) === chosen);
  const instance = all.find(({ id }) => id === chosen) ?? (named.length === 1 ? named[0] : undefined);
  if (instance) return instance;
  if (named.length > 1) {
    const list = named.map(({ id, keyHint }) => `  ${id}  ${keyHint}`).join('\n');
    throw new AdminError(
      `Several instances have this name. Choose one by its id, with --instance ID:\n${list}`,
    );
  }
  const names = all.map(({ name }) => `"${oneLine(name)}"`).join(', ') || 'none yet';
  throw new AdminError(`Choose the instance with --instance NAME. There are: ${names}.`);
}
