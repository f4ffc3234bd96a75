import { readdirSync, readFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { connect } from '../../src/store/redis/connect.ts';
import { writesIn } from './append-only-file.ts';

/** What a Redis has done since its start, in counts, bytes and ms of CPU. */
export interface RedisReading {
  /** How many commands came over connections during `watch`. */
  trips: number;
  /** The same, and commands that scripts ran, while `watch` was on. */
  commands: number;
  /** Durable changes. Redis syncs each to the disk by itself, unless several come together. */
  writes: number;
  bytesIn: number;
  bytesOut: number;
  fileBytes: number;
  /** The memory of the data, without the buffers of connections. */
  memory: number;
  redisMs: number;
}

/** Measures a Redis beside its users. */
export interface RedisMeter {
  read(): Promise<RedisReading>;
  /**
   * Counts commands until you call the returned function. The count costs Redis time and bytes, so don't measure those then.
   */
  watch(): Promise<() => void>;
  /** How many members a sorted set has; 0 if there is no set. */
  sizeOf(sortedSet: string): Promise<number>;
  close(): void;
}

/** A meter on the Redis at this address. Its file must be on this machine, and must not be rewritten meanwhile. */
export async function meterRedis(url: string): Promise<RedisMeter> {
  const { client, close } = await connect(url);
  const counted = { trips: 0, commands: 0 };
  const setting = async (name: string) =>
    ((await client.sendCommand(['CONFIG', 'GET', name])) as string[])[1] ?? '';
  const folder = join(await setting('dir'), await setting('appenddirname'));

  return {
    async read() {
      const info = String(await client.sendCommand(['INFO', 'everything']));
      const figure = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
      return {
        ...counted,
        writes: writesIn(fileIn(folder)),
        bytesIn: figure('total_net_input_bytes'),
        bytesOut: figure('total_net_output_bytes'),
        fileBytes: figure('aof_current_size'),
        memory: figure('used_memory') - figure('mem_clients_normal') - figure('mem_aof_buffer'),
        redisMs: 1000 * (figure('used_cpu_user') + figure('used_cpu_sys')),
      };
    },
    async watch() {
      const { hostname, port } = new URL(url);
      const socket = connectSocket(Number(port), hostname);
      let rest = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          // The first line says OK; the others begin with the time and the client.
          const asker = /^\+\d+\.\d+ \[\d+ ([^\]]+)\]/.exec(line)?.[1];
          if (asker === undefined) continue;
          counted.commands += 1;
          if (asker !== 'lua') counted.trips += 1;
        }
      });
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.write('MONITOR\r\n', () => socket.once('data', () => resolve()));
      });
      return () => socket.destroy();
    },
    sizeOf: async (sortedSet) => Number(await client.sendCommand(['ZCARD', sortedSet])),
    close,
  };
}

/** The whole append-only file since the start. */
function fileIn(folder: string): Buffer {
  const parts = readdirSync(folder).filter((name) => name.endsWith('.incr.aof'));
  return Buffer.concat(parts.map((name) => readFileSync(join(folder, name))));
}
