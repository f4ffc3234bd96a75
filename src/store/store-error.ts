class CodedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The store can't be used; `message` is one sentence that says why and what to do. */
export class StoreError extends CodedError<'locked' | 'newer' | 'unusable'> {
  override readonly name: string = 'StoreError';
}

/**
 * The store did not answer a step as it should. `late`: not in time; the step may have happened. `emptied`: this is not
 * the store that the bot began with. `replaced`: its file was moved, removed or replaced. `upgraded`: a newer version
 * works on the store. In these three cases the bot does nothing any more. `refused`: the store answered with an error.
 */
export class StoreTroubleError extends CodedError<'late' | 'emptied' | 'replaced' | 'upgraded' | 'refused'> {
  override readonly name: string = 'StoreTroubleError';
}

/** SQLite's result code (sqlite.org/rescode.html) for a lock that another program holds. */
export const BUSY = 5;
/** Those for a damaged database, and for a file that is none. */
export const DAMAGED = [11, 26];

/** SQLite's primary result code, if an error has one. */
export function resultCodeOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** The sentence for a damaged database, if SQLite has thrown this error for that reason. */
export function damageInWords(error: unknown, file = 'The database'): string | undefined {
  const code = resultCodeOf(error);
  if (code === undefined || !DAMAGED.includes(code)) return undefined;
  return `${file} is damaged (${(error as Error).message}): stop the bot and put a backup back (see Backup in docs/operating.md).`;
}

/** The store can't be used, for the reason that `sentence` says. */
export function unusable(sentence: string, options?: ErrorOptions): StoreError {
  return new StoreError('unusable', sentence, options);
}

/** A file of the data folder can't be read or written. */
export function unusableFile(file: string, cause: unknown): StoreError {
  const damage = damageInWords(cause, file);
  if (damage !== undefined) return unusable(damage, { cause });
  if (resultCodeOf(cause) === BUSY) {
    return new StoreError(
      'locked',
      `${file} can't be used, since another program holds its lock: end that program, or wait for it, and try again.`,
      { cause },
    );
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return unusable(
    `${file} can't be used (${reason}): DATA_DIR must be a local folder that the bot can write to, with space left, and nothing is sent without it.`,
    { cause },
  );
}
