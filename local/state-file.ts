import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** How long changes wait for others, to be written together, ms. */
const WRITE_AFTER_MS = 100;

export interface StateFileOptions {
  file: string;
  /** Returns the state to save. */
  state(): unknown;
  /** Called with a sentence for the person who runs the playground. */
  tell(sentence: string): void;
}

/**
 * Saves the state in a JSON file. Writes a new file, which then replaces the old one: a crash leaves either of them whole.
 */
export function createStateFile({ file, state, tell }: StateFileOptions) {
  let timer: NodeJS.Timeout | undefined;
  let written = '';
  let failed = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const text = JSON.stringify(state());
    if (text === written) return;
    try {
      writeFileSync(`${file}.new`, text, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      written = text;
      failed = false;
    } catch (error) {
      // The playground goes on. Report this once, not at each change.
      if (!failed)
        tell(`${file} can't be written (${(error as Error).message}): a restart will forget what is new.`);
      failed = true;
    }
  }

  return {
    /** Calls `use` with the saved state. If the file is damaged, or `use` throws, renames it. Returns whether it worked. */
    load(use: (state: unknown) => void): boolean {
      if (!existsSync(file)) return false;
      try {
        use(JSON.parse(readFileSync(file, 'utf8')));
        return true;
      } catch {
        const aside = `${file}.damaged-${Date.now()}`;
        renameSync(file, aside);
        tell(`${file} can't be read: it is now ${aside}, and the playground starts from the beginning.`);
        return false;
      }
    },
    /** Saves soon. */
    touch(): void {
      timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
    /** Saves now, if something has changed. */
    flush,
    /** Deletes the file. The next `touch` makes it again. */
    remove(): void {
      clearTimeout(timer);
      timer = undefined;
      written = '';
      rmSync(file, { force: true });
    },
  };
}
