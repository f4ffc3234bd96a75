import { checkRefusals } from './check-refusals.ts';
import { eraseNumber } from './erase-number.ts';
import { exportWorkspace } from './export-workspace.ts';
import { addInstance, forgetKeys, rotateKeys, setKey } from './key-commands.ts';
import { listUnknown, status } from './show-status.ts';
import { afterRestore, move, resetStore } from './store-commands.ts';
import type { Command } from './tools.ts';
import { withTools } from './with-tools.ts';

/** All commands by name. `usage.ts` says what each does. */
export const COMMANDS: { [name: string]: Command } = {
  'add-instance': withTools(addInstance),
  'set-key': withTools(setKey),
  status: withTools(status),
  'list-unknown': withTools(listUnknown),
  'check-refusals': withTools(checkRefusals),
  erase: withTools(eraseNumber),
  export: withTools(exportWorkspace),
  'rotate-keys': withTools(rotateKeys),
  'forget-keys': withTools(forgetKeys),
  // Runs before any bot does, so it may have to upgrade the copy.
  'after-restore': withTools(afterRestore, { isAlone: true }),
  // These two also work if the store does not open.
  'reset-store': resetStore,
  move,
};
