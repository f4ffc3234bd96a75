import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps the bytes of files, by the file's id. */
export interface FileBytes {
  write(id: string, bytes: Uint8Array<ArrayBuffer>): void;
  /** Undefined if there is no such file. */
  read(id: string): Uint8Array<ArrayBuffer> | undefined;
  /** Deletes all other files. */
  keepOnly(ids: readonly string[]): void;
}

/** In memory: they are gone when the process ends. */
export function createFileBytes(): FileBytes {
  const all = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    write: (id, bytes) => void all.set(id, bytes),
    read: (id) => all.get(id),
    keepOnly(ids) {
      for (const id of all.keys()) if (!ids.includes(id)) all.delete(id);
    },
  };
}

/** One file each in `folder`; the first write makes the folder. */
export function createFileBytesIn(folder: string): FileBytes {
  const kept = () => (existsSync(folder) ? readdirSync(folder) : []);
  return {
    write(id, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, id), bytes, { mode: 0o600 });
    },
    read(id) {
      const file = join(folder, id);
      return existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
    },
    keepOnly(ids) {
      for (const id of kept().filter((one) => !ids.includes(one)))
        rmSync(join(folder, id), { recursive: true, force: true });
    },
  };
}
