import { pino } from 'pino';
import { systemClock } from '../src/core/clock.ts';
import { LONGEST_FUSE_MS } from '../src/core/dispatch/request-gate.ts';
import { createListChecker } from '../src/core/lists/checker.ts';
import type { ListInput } from '../src/core/lists/list.ts';
import { createOptOutImport } from '../src/core/opt-outs/import-opt-outs.ts';
import { createOptOuts } from '../src/core/opt-outs/opt-outs.ts';
import { createLedger } from '../src/ledger/create-ledger.ts';
import { createCipher } from '../src/records/encryption.ts';
import { ROW_WORDS } from '../src/slack/ui/lists/words-in-files.ts';
import { createSqliteEngine } from '../src/store/sqlite/engine.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { createSteps } from '../src/store/steps.ts';
import { differenceOf, inSeconds, levelOf, type Section } from './figures.ts';
import { interleaved } from './interleaved.ts';
import { recipientsCsv } from './recipients.ts';
import { inScratchFolder } from './scratch-folder.ts';

const ROWS = 100_000;
const SECRET = Buffer.alloc(32, 7);
const LIMITS = { permits: 60, windowMs: 60_000, leaseMs: 30_000, timeoutMs: 15_000 };
const BY = { by: 'U1' };

/** A list of 100,000 recipients, a thousand of which have opted out; and an import of 100,000 opt-outs. */
export function benchOptOuts(): Promise<Section> {
  return inScratchFolder(async (folder) => {
    const db = openDatabase(folder);
    const ledger = createLedger(createSteps(createSqliteEngine(db)), LIMITS);
    const log = pino({ level: 'silent' });
    const optOuts = createOptOuts({
      ledger,
      cipher: createCipher([SECRET]),
      fingerprintSecret: SECRET,
      fuseMs: LONGEST_FUSE_MS,
      takenBack: { remember() {}, forget: () => false },
      clock: systemClock,
      log,
    });
    const checker = createListChecker({ log });
    const importOptOuts = createOptOutImport({ checker, optOuts });
    const file = recipientsCsv(ROWS);
    const some = recipientsCsv(1000);
    const source = (bytes: Uint8Array) => ({ kind: 'file' as const, name: 'list.csv', bytes: bytes.slice() });

    async function fill(team: string, bytes: Uint8Array): Promise<number> {
      const begun = performance.now();
      const imported = await importOptOuts(team, { source: source(bytes), words: ROW_WORDS, wish: BY });
      if (imported.kind !== 'imported') throw new Error(`the import came to ${imported.kind}`);
      return performance.now() - begun;
    }

    async function preview(leaveOut?: ListInput['leaveOut']): Promise<number> {
      const begun = performance.now();
      const list = await checker.check({
        source: source(file),
        template: 'Hello {name}, your code is {code}.',
        words: ROW_WORDS,
        mostCharacters: 1000,
        chunkSize: 100,
        ...(leaveOut && { leaveOut }),
      });
      if (list.kind !== 'list') throw new Error(`the list was not taken: ${list.kind}`);
      let messages = list.leftOut.length;
      for await (const chunks of list.chunks()) messages += chunks.flat().length;
      const ms = performance.now() - begun;
      await list.close();
      if (messages !== ROWS) throw new Error(`${messages} of ${ROWS} recipients were found`);
      return ms;
    }

    await fill('T1', some);
    const took = await interleaved({
      without: () => preview(),
      checked: () => preview((phones) => optOuts.whichAreOut('T1', phones)),
      imported: (run) => fill(`T-${run}`, file),
    });
    db.close();
    return {
      title: 'Opt-outs',
      means:
        'A file of 100,000 recipients is read and checked up to its preview; 1,000 of them have opted out. The other side does not ask ' +
        'for opt-outs. The second line imports 100,000 opt-outs from a file. Both on SQLite.',
      figures: [
        differenceOf('100,000 rows', {
          ours: took.checked,
          theirs: took.without,
          shown: inSeconds,
          target: { atMost: 1000 },
        }),
        levelOf('import of 100,000', {
          runs: took.imported,
          shown: inSeconds,
          target: { atMost: 20_000 },
        }),
      ],
    };
  });
}
