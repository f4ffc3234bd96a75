import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileRequest } from './hostile-requests.ts';

/** The longest wait, in ms. A server must be done with anything before that. */
const GIVE_UP_MS = 60_000;
/** How much of an endless body the client writes, in bytes. */
const END_OF_PATIENCE = 16 * 1024 * 1024;

/**
 * Writes a request on a connection of its own. Resolves with the answer's status; with `none` if the connection ends
 * without an answer, and with `hung` if neither comes.
 */
export async function deliverHostile(port: number, request: HostileRequest): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const ending = endOf(socket);
  await write(socket, request).catch(() => undefined);
  if (request.ending === 'end') socket.end();
  if (request.ending === 'reset') {
    // The bytes must arrive before the end, or else there was no request.
    await sleep(5);
    socket.resetAndDestroy();
  }
  const status = await ending;
  socket.destroy();
  return status;
}

function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('hung'), GIVE_UP_MS);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (part) => {
      text += part.toString('latin1');
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (status !== undefined && status !== '100') end(status);
    });
    socket.on('close', () => end('none'));

    function end(status: string): void {
      clearTimeout(timer);
      resolve(status);
    }
  });
}

async function write(socket: Socket, { parts, pauseMs, isEndless }: HostileRequest): Promise<void> {
  for (const part of parts) {
    await writeOne(socket, part);
    if (pauseMs !== undefined) await sleep(pauseMs);
  }
  const last = parts.at(-1);
  if (!isEndless || !last) return;
  for (let bytes = 0; bytes < END_OF_PATIENCE; bytes += last.length) await writeOne(socket, last);
}

/** Writes bytes. Rejects if the connection ends. */
function writeOne(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) return reject(new Error('the connection is over'));
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
