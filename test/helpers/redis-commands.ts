import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RedisServer } from './redis-server.ts';

/** The commands that a Redis gets while `work` runs, as MONITOR shows them, without those of scripts. */
export async function watchCommands(
  server: RedisServer,
): Promise<(work: () => Promise<unknown>) => Promise<string[]>> {
  const { hostname, port } = new URL(server.url);
  const [monitor, marker] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  onTestFinished(() => {
    monitor.destroy();
    marker.destroy();
  });
  let text = '';
  monitor.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise((resolve) => monitor.once('data', resolve));
  };
  monitor.write('MONITOR\r\n');
  await until(() => text.startsWith('+OK'));
  let marks = 0;

  /** Waits until `text` has all commands from before the call. */
  async function mark(): Promise<void> {
    marks += 1;
    marker.write(`ECHO mark-${marks}\r\n`);
    await until(() => text.includes(`"mark-${marks}"`));
  }

  return async (work) => {
    await mark();
    text = '';
    await work();
    await mark();
    const lines = text.split('\r\n').slice(0, -1);
    return lines.filter((line) => !line.includes(' lua] ') && !line.includes('"ECHO"'));
  };
}
