import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoreWorld } from './core-world.ts';
import { whenOver } from './side-by-side.ts';

/** The same service, beside a copy of today's data. */
export function withCopy(world: CoreWorld): CoreWorld {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-copy-'));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(world.folder, folder, { recursive: true });
  return { ...world, folder };
}
