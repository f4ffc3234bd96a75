import type { Address, Engine, IndexRange, Snapshot } from '../store.ts';
import { inBatches, scanKeys } from './scan-keys.ts';
import { createScriptArguments, parseMember, parseStored } from './script-arguments.ts';
import { createScriptRunner, type ScriptAnswer, type ScriptRunnerOptions } from './script-runner.ts';

/** How many documents one read of a whole collection has. */
const PAGE = 100;

interface RedisEngineOptions extends ScriptRunnerOptions {
  /** How many replicas must have a synced commit before it counts as done. */
  replicas?: number;
  beforeSynced?(): void;
}

/**
 * Documents in one Redis that any number of processes share. Each read and each commit is one round trip. Before the very
 * first one, the engine asks for the time.
 */
export function createRedisEngine({ replicas = 0, beforeSynced, ...options }: RedisEngineOptions): Engine {
  const runner = createScriptRunner(options);
  const ask = createScriptArguments(options.prefix);

  async function read(addresses: Address[], ranges: IndexRange[], until?: number): Promise<Snapshot> {
    return snapshotOf(await runner.run(ask.read(addresses, ranges), until));
  }

  return {
    now: runner.now,
    read,
    async commit(change, until) {
      if (change.isSynced) beforeSynced?.();
      const { outcome, ...answer } = await runner.run(
        ask.commit(change),
        until,
        change.isSynced ? replicas : 0,
      );
      if (outcome === 'ok') return { outcome, now: answer.now };
      const { documents, ...reading } = snapshotOf(answer);
      return { outcome, reading: { ...reading, documents: documents.slice(0, change.expected.length) } };
    },
    async *documents(collection) {
      const start = ask.documentsAt(collection);
      for await (const keys of inBatches(scanKeys(options.client, start), PAGE)) {
        const addresses = keys.map((key) => ({ collection, id: key.slice(start.length) }));
        const { documents } = await read(addresses, []);
        yield addresses.flatMap(({ id }, at) => {
          const stored = documents[at];
          return stored ? [{ id, ...stored }] : [];
        });
      }
    },
  };
}

function snapshotOf({ now, documents, ranges }: Omit<ScriptAnswer, 'outcome'>): Snapshot {
  const parsed = (stored: Buffer | null | undefined) => (stored ? parseStored(stored) : undefined);
  return {
    now,
    documents: documents.map(parsed),
    ranges: ranges.map(([members, those]) =>
      members.map((member, at) => ({ ...parseMember(member), stored: parsed(those[at]) })),
    ),
  };
}
