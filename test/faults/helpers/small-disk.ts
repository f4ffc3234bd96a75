import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A folder whose disk fails when the test says so, also for programs with open files in it. */
export interface FailingDisk {
  folder: string;
  /** How this machine does it, for readers of the result. */
  how: string;
  fail(): void;
  mend(): void;
  /** The limits for a program that starts while the disk fails. */
  startLimits: { largestFileKb?: number };
  close(): void;
}

const SIZE_MB = 16;
/** On the disk, since a file system in memory lets programs write to open files that are immutable. */
const ON_DISK = join(import.meta.dirname, '../../../node_modules/.cache');

/**
 * A disk that runs full. If mounting is allowed, it is a small file system. Otherwise the kernel lets programs that use
 * the folder write to no file.
 */
export function createFullDisk(): FailingDisk {
  const mount = newFolder(tmpdir());
  const folder = join(mount, 'data');
  const isMounted = run('mount', '-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'switchboard', mount);
  mkdirSync(folder);
  const filler = join(mount, 'filler');
  return {
    folder,
    how: isMounted ? `a file system of ${SIZE_MB} MB` : 'prlimit: no file may be written',
    fail() {
      emptyLog(folder);
      if (isMounted) fillUp(filler);
      else limitUsers(folder, 0);
    },
    mend: () => (isMounted ? rmSync(filler, { force: true }) : limitUsers(folder)),
    startLimits: isMounted ? {} : { largestFileKb: 0 },
    close() {
      if (isMounted) run('umount', '-l', mount);
      rmSync(mount, { recursive: true, force: true });
    },
  };
}

/**
 * A disk that accepts no writes. If that also stops programs with open files, all files become immutable. Otherwise the
 * kernel lets programs that use the folder write to no file.
 */
export function createReadOnlyDisk(): FailingDisk {
  mkdirSync(ON_DISK, { recursive: true });
  const folder = newFolder(ON_DISK);
  const isImmutable = canFreeze(folder);
  // Not files that are mapped into memory: a write there would end any program with SIGBUS.
  const files = () => [
    folder,
    ...readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => join(folder, name)),
  ];
  const mend = () => void (isImmutable ? run('chattr', '-i', ...files()) : limitUsers(folder));
  return {
    folder,
    how: isImmutable ? 'chattr: immutable files' : 'prlimit: no file may be written',
    fail: () => void (isImmutable ? run('chattr', '+i', ...files()) : limitUsers(folder, 0)),
    mend,
    startLimits: isImmutable ? {} : { largestFileKb: 0 },
    close() {
      mend();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function newFolder(parent: string): string {
  return mkdtempSync(join(parent, 'switchboard-disk-'));
}

function run(command: string, ...words: string[]): boolean {
  return spawnSync(command, words).status === 0;
}

/** Whether a program can't write to an open file once it is immutable. Not every file system prevents that. */
function canFreeze(folder: string): boolean {
  const probe = join(folder, 'probe');
  const open = openSync(probe, 'w');
  const isFrozen = run('chattr', '+i', probe);
  try {
    writeSync(open, 'x');
    return false;
  } catch {
    return isFrozen;
  } finally {
    closeSync(open);
    run('chattr', '-i', probe);
    rmSync(probe);
  }
}

/** Empties the database's own log: on a full disk, SQLite could still overwrite what the log holds. */
function emptyLog(folder: string): void {
  const db = new DatabaseSync(join(folder, 'switchboard.db'), { timeout: 10_000 });
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

function fillUp(file: string): void {
  const open = openSync(file, 'w');
  try {
    for (const size of [65_536, 4096, 1]) writeUntilFull(open, Buffer.alloc(size));
  } finally {
    closeSync(open);
  }
}

function writeUntilFull(open: number, piece: Buffer): void {
  try {
    for (;;) writeSync(open, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** From now on, programs with open files of the folder may write only up to `bytes` in a file; undefined: no limit. */
function limitUsers(folder: string, bytes?: number): void {
  for (const pid of usersOf(folder)) {
    if (run('prlimit', `--pid=${pid}`, `--fsize=${bytes ?? 'unlimited'}:`)) continue;
    throw new Error(
      'There is no way here to make a disk fail: neither mount, chattr nor prlimit is allowed.',
    );
  }
}

function usersOf(folder: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return pids.filter((pid) => {
    try {
      const open = `/proc/${pid}/fd`;
      return readdirSync(open).some((fd) => readlinkSync(join(open, fd)).startsWith(folder));
    } catch {
      // The process ended, or belongs to another user.
      return false;
    }
  });
}
