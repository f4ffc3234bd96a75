import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { type RawServer, watch } from './sms-raw-server.ts';

/** A fresh self-signed certificate for localhost and 127.0.0.1, made by openssl. */
export function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sms-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
        ...['-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The raw server behind TLS; without a certificate each handshake fails. */
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
