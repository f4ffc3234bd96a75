import { afterRestore } from './after-restore.ts';
import { checkRefusals } from './check-refusals.ts';
import { eraseNumber } from './erase-number.ts';
import { exportWorkspace } from './export-workspace.ts';
import { addInstance, forgetKeys, rotateKeys, setKey } from './key-commands.ts';
import { listUnknown, status } from './show-status.ts';
import { move, resetStore } from './store-commands.ts';
import type { Command } from './tools.ts';
import { withTools } from './with-tools.ts';

/** All commands, by name; `usage.ts` says what they do. */
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
  // It runs before any bot: a copy that was put back may be of an older version.
  'after-restore': withTools(afterRestore, { isAlone: true }),
  // These also work if the store can't be opened.
  'reset-store': resetStore,
  move,
};
