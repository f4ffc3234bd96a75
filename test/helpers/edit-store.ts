import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { Step } from '../../src/store/view.ts';
import type { World } from './world.ts';

/** Edits the documents of a stopped bot, with their indexes. */
export async function editStore({ dataDir }: World, edit: Step<void>): Promise<void> {
  const db = openDatabase(dataDir);
  try {
    await createSteps(createSqliteEngine(db)).run(edit);
  } finally {
    db.close();
  }
}
