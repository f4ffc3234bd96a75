import { checkRefusals } from './check-refusals.ts';
import { COMMANDS, type Tools } from './commands.ts';
import { eraseNumber } from './erase-number.ts';
import { exportWorkspace } from './export-workspace.ts';

/** All commands that work on an open store, by name. */
export const ALL_COMMANDS: { [name: string]: (tools: Tools) => Promise<void> } = {
  ...COMMANDS,
  'check-refusals': checkRefusals,
  erase: eraseNumber,
  export: exportWorkspace,
};
