import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Listens with the smallest backlog. Prints its port, then what each connection had sent by its end. */
const PROGRAM = `
const server = require('node:net').createServer((socket) => {
  let text = '';
  socket.on('data', (chunk) => { text += chunk; });
  socket.on('error', () => {});
  socket.on('close', () => process.send({ text }));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
`;

export type BusyServer = {
  url: string;
  /** What each connection had sent, if it ended after the release. The connections that fill the queue stay open. */
  ended: string[];
  /** Lets the server accept again. */
  release(): void;
  close(): Promise<void>;
};

/** A server too busy to accept, with a full queue. Further connections hang until the release. */
export async function startBusyServer(): Promise<BusyServer> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ended: string[] = [];
  child.on('message', ({ text }: { text: string }) => ended.push(text));
  child.kill('SIGSTOP');
  const fillers = await fillQueue(port);
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    ended,
    release: () => void child.kill('SIGCONT'),
    close: () => stop(child, fillers),
  };
}

/** Opens connections until one hangs. */
async function fillQueue(port: number): Promise<Socket[]> {
  const fillers: Socket[] = [];
  for (let hanging = false; !hanging; ) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    fillers.push(socket);
    const connected = once(socket, 'connect').then(() => true);
    const waited = new Promise<false>((resolve) => setTimeout(() => resolve(false), 300));
    hanging = !(await Promise.race([connected, waited]));
    if (fillers.length > 50) throw new Error('The queue of the server does not fill.');
  }
  return fillers;
}

async function stop(child: ChildProcess, fillers: Socket[]): Promise<void> {
  for (const filler of fillers) filler.destroy();
  child.kill('SIGCONT');
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
