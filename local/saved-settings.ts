import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort, isFree } from './free-port.ts';
import { jsonOf } from './json-of.ts';

/**
 * The ports stay the same over restarts: the bot stores the service's address, and stored response_urls contain Slack's.
 * 0 = not chosen yet.
 */
const port = z.number().int().min(0).max(65_535).catch(0);
const Ports = z.object({ slack: port, service: port, serviceAlt: port, bot: port });
export type Ports = z.infer<typeof Ports>;

/** The ports of the last start; a free one instead of each that is not free now. */
export async function readPorts(folder: string): Promise<Ports> {
  const file = join(folder, 'ports.json');
  const kept = existsSync(file) ? jsonOf(readFileSync(file, 'utf8')) : {};
  const ports = Ports.safeParse(kept).data ?? Ports.parse({});
  for (const name of Object.keys(ports) as (keyof Ports)[]) {
    if (ports[name] === 0 || !(await isFree(ports[name]))) ports[name] = await freePort();
  }
  return ports;
}

export function savePorts(folder: string, ports: Ports): void {
  writeFileSync(join(folder, 'ports.json'), JSON.stringify(ports));
}

/** The bot's ENCRYPTION_KEY. The first start makes it. If the process is killed while it writes, the file may be empty. */
export function encryptionKey(folder: string): string {
  const file = join(folder, 'key');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '') return kept;
  const made = randomBytes(32).toString('base64');
  writeFileSync(file, made, { mode: 0o600 });
  return made;
}
