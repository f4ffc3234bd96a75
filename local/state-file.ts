import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Changes within this time are written at once, ms. */
const WRITE_AFTER_MS = 100;

/** A JSON file that follows what is in memory. */
export interface StateFile {
  /** What was kept; undefined where nothing was. A file that is no JSON, or that `use` throws at, is set aside. */
  load(use: (state: unknown) => void): 'loaded' | 'none' | 'damaged';
  /** Something has changed: it is written soon. */
  touch(): void;
  /** Writes now. */
  flush(): void;
  /** Forgets the file; what is touched later is written again. */
  remove(): void;
}

export interface StateFileOptions {
  file: string;
  /** What is to be kept, by now. */
  state(): unknown;
  /** One sentence for whoever runs it. */
  tell(sentence: string): void;
}

/** Writes are whole or not at all: to a file beside it, which then takes its place. */
export function createStateFile({ file, state, tell }: StateFileOptions): StateFile {
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
      // Playing goes on; told once, not at each change.
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
    load(use) {
      try {
        const text = read();
        if (text === undefined) return 'none';
        use(JSON.parse(text));
        return 'loaded';
      } catch {
        const aside = `${file}.damaged-${Date.now()}`;
        renameSync(file, aside);
        tell(`${file} can't be read: it is now ${aside}, and the playground starts from the beginning.`);
        return 'damaged';
      }
    },
    touch() {
      timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
    flush,
    remove() {
      clearTimeout(timer);
      timer = undefined;
      written = '';
      rmSync(file, { force: true });
    },
  };
}
