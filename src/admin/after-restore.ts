import { holdBackAll } from '../core/after-restore.ts';
import { say } from './terminal.ts';
import type { Tools } from './tools.ts';

/** `after-restore`: keeps an older copy of the data from sending by itself. */
export async function afterRestore({ ledger, records, alone }: Tools): Promise<void> {
  const held = await alone(() => holdBackAll({ ledger, records }));
  say(
    `Jobs paused: ${held.jobs} · paused before: ${held.paused} · texts cancelled: ${held.texts} · drafts expired: ${held.drafts}.`,
  );
  say('No job goes on until a person presses Resume. Now start the bot. Each card says what happened.');
}
