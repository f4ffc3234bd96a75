import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { type RawServer, watch } from './sms-raw-server.ts';

/** A self-signed certificate for localhost and 127.0.0.1, valid for a hundred years. Only tests use it. */
export function testCertificate(): { key: string; cert: string } {
  const read = (name: string) =>
    readFileSync(join(import.meta.dirname, 'tls', `localhost.${name}.pem`), 'utf8');
  return { key: read('key'), cert: read('cert') };
}

/** The raw server behind TLS. Without a certificate, each handshake fails. */
export async function startTlsServer(
  certificate: { key: string; cert: string } | undefined,
  onRequest: (socket: Socket) => void,
): Promise<RawServer> {
  const server: Server = createServer(certificate ?? {});
  server.on('tlsClientError', () => {});
  const state = { connections: 0, requests: [] as string[], received: '' };
  const close = watch(server, 'secureConnection', state, { onRequest });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { url: `https://localhost:${port}/api/v1`, port, close });
}
