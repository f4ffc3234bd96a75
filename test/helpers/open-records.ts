import type { Cipher } from '../../src/records/encryption.ts';
import type { RecordError } from '../../src/records/namespace.ts';
import { createRecords, type Records } from '../../src/records/records.ts';
import { createSqliteRecords } from '../../src/records/sqlite/record-store.ts';
import type { Database } from '../../src/store/sqlite/open.ts';

/** The records of a database, for tests without opt-outs. */
export function openRecords(
  db: Database,
  cipher: Cipher,
  onDamaged: (error: RecordError) => void = () => {},
): Records {
  return createRecords({
    store: createSqliteRecords(db),
    cipher,
    teamsWithOptOuts: async () => [],
    onDamaged,
  });
}
