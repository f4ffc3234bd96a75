import type { ListChecker } from '../lists/checker.ts';
import type { ListInput, ListSummary, NotSendable } from '../lists/list.ts';
import type { OptOuts, OptOutWish } from './opt-outs.ts';

/** The result of an import. Rows without a number are skipped, and all of them are in `wrongCsv`. */
export type Imported =
  | {
      kind: 'imported';
      /** Different numbers in the list; `changed` of them were not opted out before. */
      numbers: number;
      changed: number;
      wrong: ListSummary['wrong'];
      wrongCsv?: Uint8Array;
    }
  | NotSendable;

interface ImportInput extends Pick<ListInput, 'source' | 'country' | 'words'> {
  wish: Omit<OptOutWish, 'to' | 'via'>;
  /** Called with how many numbers are done. */
  onProgress?(done: number): void;
}

/** The bot checks the list as if it would send it. The check needs a text, but nobody reads that text. */
const CHECK = { template: '.', mostCharacters: 1, chunkSize: 100 };

export function createOptOutImport(deps: { checker: ListChecker; optOuts: Pick<OptOuts, 'change'> }) {
  const { checker, optOuts } = deps;
  /** Opts all numbers of a list out. If it breaks off, the opt-outs so far stay, and a second import does the rest. */
  return async (team: string, { wish, onProgress, ...list }: ImportInput): Promise<Imported> => {
    const checked = await checker.check({ ...list, ...CHECK });
    if (checked.kind !== 'list') return checked;
    try {
      const { wrong, toSend: numbers } = checked.summary;
      const { wrongCsv } = checked;
      const digits: string[] = [];
      for await (const chunks of checked.chunks()) {
        for (const { phone } of chunks.flat()) digits.push(phone);
      }
      const changed = await optOuts.change(team, digits, { ...wish, to: 'out', via: 'import' }, onProgress);
      return { kind: 'imported', numbers, changed, wrong, ...(wrongCsv && { wrongCsv }) };
    } finally {
      await checked.close();
    }
  };
}
