import { holdBackAll } from '../core/after-restore.ts';
import { say } from './terminal.ts';
import type { Tools } from './tools.ts';

/** `after-restore`: holds everything back after an older copy of the data was put back. */
export async function afterRestore({ ledger, records, alone }: Tools): Promise<void> {
  const held = await alone(() => holdBackAll({ ledger, records }));
  say(
    `Jobs paused: ${held.jobs} · paused before: ${held.paused} · texts cancelled: ${held.texts} · drafts expired: ${held.drafts}.`,
  );
  say(
    'Nothing is sent until a person presses Resume on a job. Now start the bot. Each card says what happened.',
  );
}
