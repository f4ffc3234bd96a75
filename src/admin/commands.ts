import { afterRestore } from './after-restore.ts';
import { checkRefusals } from './check-refusals.ts';
import { eraseNumber } from './erase-number.ts';
import { exportWorkspace } from './export-workspace.ts';
import { addInstance, forgetKeys, rotateKeys, setKey } from './key-commands.ts';
import { listUnknown, status } from './show-status.ts';
import type { Tools } from './tools.ts';

/** Commands that work on an open store, by name. `store-commands.ts` has those about the store itself; `usage.ts` lists all. */
export const COMMANDS: { [name: string]: (tools: Tools) => Promise<void> } = {
  'add-instance': addInstance,
  'set-key': setKey,
  status,
  'list-unknown': listUnknown,
  'check-refusals': checkRefusals,
  erase: eraseNumber,
  export: exportWorkspace,
  'rotate-keys': rotateKeys,
  'forget-keys': forgetKeys,
  'after-restore': afterRestore,
};
