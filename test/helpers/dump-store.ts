import type { RedisClient } from '../../src/store/redis/connect.ts';
import { AS_BYTES } from '../../src/store/redis/reconnecting-client.ts';
import { parseMember, parseStored } from '../../src/store/redis/script-arguments.ts';
import type { Database } from '../../src/store/sqlite/open.ts';
import type { Engine, IndexEntry } from '../../src/store/store.ts';

/** Everything in an engine. */
export interface Dump {
  /** The documents, with their values parsed. */
  documents: { collection: string; id: string; value: unknown }[];
  entries: IndexEntry[];
}

/** Dumps the tables of SQLite. */
export function dumpSqlite({ raw }: Database): Dump {
  const tables = raw.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'd\\_%' ESCAPE '\\'",
  );
  return {
    documents: tables.all().flatMap(({ name }) =>
      raw
        .prepare(`SELECT id, value FROM "${name}" ORDER BY id`)
        .all()
        .map(({ id, value }) => ({
          collection: String(name).slice('d_'.length),
          id: String(id),
          value: JSON.parse(String(value)) as unknown,
        })),
    ),
    entries: raw
      .prepare('SELECT name, key, id FROM entries ORDER BY name, key, id')
      .all()
      .map(({ name, key, id }) => ({ ...indexNamed(String(name)), key: String(key), id: String(id) })),
  };
}

/** Dumps the keys of Redis with this prefix. */
export async function dumpRedis(client: RedisClient, prefix: string): Promise<Dump> {
  const ask = async (...command: string[]) => (await client.sendCommand(command)) as string[];
  const askBytes = async (...command: string[]) => (await client.sendCommand(command, AS_BYTES)) as Buffer[];
  const [documents, indexes] = [`${prefix}d:`, `${prefix}i:`];
  const keys = await ask('KEYS', `${documents}*`);
  const texts = keys.length > 0 ? await askBytes('MGET', ...keys) : [];
  const entries: IndexEntry[] = [];
  for (const index of await ask('KEYS', `${indexes}*`)) {
    const named = indexNamed(index.slice(indexes.length));
    for (const member of await askBytes('ZRANGE', index, '0', '-1'))
      entries.push({ ...named, ...parseMember(member) });
  }
  return {
    documents: keys.flatMap((key, at) => {
      const [, collection = '', id = ''] = /^([^:]*):(.*)$/s.exec(key.slice(documents.length)) ?? [];
      const stored = texts[at];
      // A working bot may have deleted the document meanwhile.
      return stored ? [{ collection, id, value: JSON.parse(parseStored(stored).text) as unknown }] : [];
    }),
    entries,
  };
}

/** An engine with a dump of all commits to it: for an engine that has no file to look at. */
export function dumpable(engine: Engine): Engine & { dump(): Promise<Dump> } {
  const written = new Map<string, { collection: string; id: string }>();
  const indexes = new Map<string, { collection: string; index: string }>();
  return {
    ...engine,
    commit(change, until) {
      for (const { address } of change.puts) written.set(`${address.collection} ${address.id}`, address);
      for (const { collection, index } of change.entries.added) {
        indexes.set(`${collection}.${index}`, { collection, index });
      }
      return engine.commit(change, until);
    },
    async dump() {
      const addresses = [...written.values()];
      const ranges = [...indexes.values()].map((named) => ({ ...named, from: '', to: '\x7f' }));
      const reading = await engine.read(addresses, ranges);
      return {
        documents: addresses.flatMap((address, at) => {
          const stored = reading.documents[at];
          return stored ? [{ ...address, value: JSON.parse(stored.text) as unknown }] : [];
        }),
        entries: ranges.flatMap(({ collection, index }, at) =>
          (reading.ranges[at] ?? []).map(({ key, id }) => ({ collection, index, key, id })),
        ),
      };
    },
  };
}

function indexNamed(name: string): { collection: string; index: string } {
  const [collection = '', index = ''] = name.split('.');
  return { collection, index };
}
