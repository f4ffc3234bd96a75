import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isFree } from './free-port.ts';
import { jsonOf } from './json-of.ts';

/**
 * What stays the same over restarts. The bot remembers accounts by the service's address, and answers by
 * response_urls, which hold Slack's address. 0 = not chosen yet.
 */
const port = z.number().int().min(0).max(65_535).catch(0);
const Ports = z.object({ slack: port, service: port, serviceAlt: port, bot: port });
export type Ports = z.infer<typeof Ports>;

/** The ports of the last time that are still free; 0 for the others. */
export async function readPorts(folder: string): Promise<Ports> {
  const file = join(folder, 'ports.json');
  const kept = existsSync(file) ? jsonOf(readFileSync(file, 'utf8')) : {};
  const ports = Ports.safeParse(kept).data ?? Ports.parse({});
  for (const name of Object.keys(ports) as (keyof Ports)[]) {
    if (!(await isFree(ports[name]))) ports[name] = 0;
  }
  return ports;
}

export function savePorts(folder: string, ports: Ports): void {
  writeFileSync(join(folder, 'ports.json'), JSON.stringify(ports));
}

/** The bot's ENCRYPTION_KEY, made at the first start. */
export function encryptionKey(folder: string): string {
  const file = join(folder, 'key');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
