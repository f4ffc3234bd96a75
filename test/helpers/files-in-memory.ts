import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 31;

/**
 * Puts the files of all tests into memory, if there is room, and deletes them at the end. Tests end processes, not
 * the machine, so they can't see whether a file has reached its disk.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), 'switchboard-tests-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM_BYTES;
}
