import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { testCertificate } from '../sms/helpers/sms-tls.ts';

const CONNECT = join(import.meta.dirname, '../../src/store/redis/connect.ts');
const AUTHORITY = join(import.meta.dirname, '../sms/helpers/tls/localhost.cert.pem');

test('a process whose start gave up ends, though a connection was just opening', async () => {
  // It cuts each connection, then keeps one open: its handshake ends after the start has given up.
  let begun: number | undefined;
  const handshakes: number[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    begun ??= performance.now();
    if (performance.now() - begun < 3000) return void setTimeout(() => socket.destroy(), 100);
    socket.pause();
    setTimeout(() => {
      const secure = new TLSSocket(socket, { isServer: true, ...testCertificate() });
      secure.on('error', () => {}).on('secure', () => handshakes.push(performance.now()));
    }, 2500);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const script = `
    const { connect } = await import(${JSON.stringify(CONNECT)});
    await connect('rediss://localhost:${port}').catch((error) => console.log(error.message));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: AUTHORITY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toContain("Redis can't be reached");
  const gaveUpAt = performance.now();
  expect(await ended).toEqual([0, null]);
  expect(handshakes.filter((at) => at > gaveUpAt)).toHaveLength(1);
});
