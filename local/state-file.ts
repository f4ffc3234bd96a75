import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Changes within this time are written at once, ms. */
const WRITE_AFTER_MS = 100;

export interface StateFileOptions {
  file: string;
  /** What is to be kept, by now. */
  state(): unknown;
  /** One sentence for whoever runs it. */
  tell(sentence: string): void;
}

/**
 * Keeps what is in memory in a JSON file. Writes the whole file or nothing: to a file beside it, which then replaces it.
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

  function read(): string | undefined {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  return {
    /** Hands over what was kept, if there is something. If the file is not JSON, or `use` throws, it is put aside. */
    load(use: (state: unknown) => void): boolean {
      try {
        const text = read();
        if (text !== undefined) use(JSON.parse(text));
        return text !== undefined;
      } catch {
        const aside = `${file}.damaged-${Date.now()}`;
        renameSync(file, aside);
        tell(`${file} can't be read: it is now ${aside}, and the playground starts from the beginning.`);
        return false;
      }
    },
    /** Something has changed: writes it soon. */
    touch(): void {
      timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
    /** Writes now. */
    flush,
    /** Deletes the file. The next `touch` writes it again. */
    remove(): void {
      clearTimeout(timer);
      timer = undefined;
      written = '';
      rmSync(file, { force: true });
    },
  };
}
