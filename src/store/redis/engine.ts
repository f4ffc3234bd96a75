import { throwIfPast } from '../deadline.ts';
import type { Address, Change, Engine, IndexRange, Snapshot, StoredDocumentWithId } from '../store.ts';
import { scanKeys } from './scan-keys.ts';
import { createScriptArguments, parseMember, parseStored } from './script-arguments.ts';
import { createScriptRunner, type ScriptAnswer, type ScriptRunnerOptions } from './script-runner.ts';

const PAGE = 100;

/** `replicas`: how many replicas must have a synced commit before it counts as done. */
interface RedisEngineOptions extends ScriptRunnerOptions {
  replicas?: number;
}

/**
 * Documents in one Redis that any number of processes share. Each read and each commit is one round trip. Before the very
 * first one, the engine asks for the time.
 */
export function createRedisEngine({ replicas = 0, ...options }: RedisEngineOptions): Engine {
  const runner = createScriptRunner(options);
  const ask = createScriptArguments(options.prefix);

  async function read(addresses: Address[]): Promise<StoredDocumentWithId[]> {
    const { documents } = await runner.run(ask.read(addresses, []));
    return addresses.flatMap(({ id }, i) => {
      const stored = documents[i];
      return stored ? [{ id, ...parseStored(stored) }] : [];
    });
  }

  return {
    now: runner.now,
    async read(addresses, ranges, until) {
      throwIfPast(until);
      return readingOf(await runner.run(ask.read(addresses, ranges), until), addresses.length, ranges);
    },
    async commit(change: Change, until) {
      throwIfPast(until);
      const { expected, isSynced } = change;
      const answer = await runner.run(ask.commit(change), until, isSynced ? replicas : 0);
      if (answer.outcome === 'ok') return { outcome: 'ok', now: answer.now };
      return { outcome: answer.outcome, reading: readingOf(answer, expected.length, []) };
    },
    async *documents(collection) {
      const start = ask.documentsAt(collection);
      let batch: Address[] = [];
      for await (const key of scanKeys(options.client, start)) {
        batch.push({ collection, id: key.slice(start.length) });
        if (batch.length < PAGE) continue;
        yield await read(batch);
        batch = [];
      }
      if (batch.length > 0) yield await read(batch);
    },
  };
}

/** The first `count` documents are those that were asked for. */
function readingOf(answer: ScriptAnswer, count: number, ranges: IndexRange[]): Snapshot {
  return {
    now: answer.now,
    documents: answer.documents.slice(0, count).map((stored) => (stored ? parseStored(stored) : undefined)),
    ranges: ranges.map((_range, at) => {
      const [members, documents] = answer.ranges[at] ?? [[], []];
      return members.map((member, i) => {
        const stored = documents[i];
        return { ...parseMember(member), stored: stored ? parseStored(stored) : undefined };
      });
    }),
  };
}
