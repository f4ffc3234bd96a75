import { checkRefusals } from './check-refusals.ts';
import { eraseNumber } from './erase-number.ts';
import { exportWorkspace } from './export-workspace.ts';
import { addInstance, forgetKeys, rotateKeys, setKey } from './key-commands.ts';
import { listUnknown, status } from './show-status.ts';
import { afterRestore, move, resetStore } from './store-commands.ts';
import type { Command } from './tools.ts';
import { withTools } from './with-tools.ts';

export const COMMANDS: { [name: string]: Command } = {
  'add-instance': withTools(addInstance),
  'set-key': withTools(setKey),
  status: withTools(status),
  'list-unknown': withTools(listUnknown),
  'check-refusals': withTools(checkRefusals),
  erase: withTools(eraseNumber),
  export: withTools(exportWorkspace),
  'rotate-keys': withTools(rotateKeys),
  'forget-keys': forgetKeys,
  // Runs before any bot does, so it may have to upgrade the copy.
  'after-restore': withTools(afterRestore, { isAlone: true }),
  // These two also work if the store does not open.
  'reset-store': resetStore,
  move,
};

/** The command line prints this without a command, or with one that it does not know. */
export const USAGE = `What an operator does on the server. The bot may keep running, unless a line says otherwise.

  npm run admin -- add-instance --name NAME     add an instance; its API key is read from standard input
  npm run admin -- set-key --instance NAME      replace an instance's key, read from standard input
                   [--accept-account]           also when the key belongs to another account
  npm run admin -- status                       instances, keys, links, open sends, unknown messages
  npm run admin -- list-unknown                 messages that need a decision, with what the balance shows
  npm run admin -- check-refusals --instance NAME
                                                find out how the provider refuses a list; sends a text to your phone
  npm run admin -- erase --phone +44…           delete every trace of one number, in all workspaces
  npm run admin -- export --team ID             write all that is kept of a workspace, as lines of JSON, without keys
  npm run admin -- rotate-keys                  seal everything again under the first key of ENCRYPTION_KEY
  npm run admin -- forget-keys --yes            the encryption key is lost: forget all instances, their keys and all
                                                opt-outs, and stop all jobs (stop the bot first)
  npm run admin -- after-restore                a copy of the data was put back: pause every job, cancel texts that
                                                wait, expire drafts (stop every bot first)
  npm run admin -- reset-store --yes            Redis was emptied: start with an empty ledger. Records that are left
                                                stay (stop every bot first)
  npm run admin -- move --to redis              carry the database over to an empty Redis (stop the bot first)

  --team ID chooses the workspace, if there are several.`;
