import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyText, startingWith } from '../../src/store/keys.ts';
import type { Address, Change, Engine, IndexEntry, IndexRange } from '../../src/store/store.ts';
import { type HandClock, handClock } from './helpers/hand-clock.ts';

/** An engine on a store of its own. */
export interface Rig {
  engine: Engine;
  /** Another client of the same store, or the engine itself if there can be no other. */
  join(): Promise<Engine>;
  close(): Promise<void>;
}

export type OpenEngine = (clock: HandClock) => Promise<Rig>;

const A: Address = { collection: 'send', id: 'a' };
const B: Address = { collection: 'lane', id: 'b' };
const ALL: IndexRange = { collection: 'send', index: 'work', ...startingWith([]) };

let versions = 0;

/** A version that nobody has used yet. */
export function newVersion(): string {
  versions += 1;
  return `v${versions}`;
}

/** A change that writes nothing yet. */
function aChange(engine: Engine, over: Partial<Change> = {}): Change {
  return {
    expected: [],
    puts: [],
    deletes: [],
    entries: { added: [], removed: [] },
    at: engine.now(),
    isSynced: true,
    ...over,
  };
}

function put(address: Address, version = newVersion(), text = '{}') {
  return { address, stored: { version, text } };
}

function entry(id: string, ...key: (string | number)[]): IndexEntry {
  return { collection: 'send', index: 'work', key: keyText(key), id };
}

/** The promises of every engine. */
export function engineContract(name: string, open: OpenEngine): void {
  async function start() {
    const clock = handClock();
    const rig = await open(clock);
    onTestFinished(() => rig.close());
    return { ...rig, clock };
  }

  /** Writes documents of the collection `send`, each with an entry. */
  async function fill(engine: Engine, entries: IndexEntry[]): Promise<void> {
    const puts = entries.map(({ id }) => put({ collection: 'send', id }, newVersion(), JSON.stringify(id)));
    const change = aChange(engine, { puts, entries: { added: entries, removed: [] } });
    expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
  }

  async function idsIn(engine: Engine, range: Partial<IndexRange> = {}): Promise<string[]> {
    const { ranges } = await engine.read([], [{ ...ALL, ...range }]);
    return (ranges[0] ?? []).map(({ id }) => id);
  }

  describe(`documents (${name})`, () => {
    test('a document that was never written is absent', async () => {
      const { engine, clock } = await start();
      const reading = await engine.read([A, B], [ALL]);
      expect(reading).toEqual({ now: clock.now(), documents: [undefined, undefined], ranges: [[]] });
    });

    test('a read of nothing answers only the time', async () => {
      const { engine, clock } = await start();
      expect(await engine.read([], [])).toEqual({ now: clock.now(), documents: [], ranges: [] });
    });

    test('documents are read as they were written, in the order asked for', async () => {
      const { engine, clock } = await start();
      const [a, b] = [put(A, 'v-a', '{"name":"a"}'), put(B, 'v-b', '{"name":"b"}')];
      const done = await engine.commit(aChange(engine, { puts: [a, b] }));
      expect(done).toEqual({ outcome: 'ok', now: clock.now() });
      const { documents } = await engine.read([B, { collection: 'lane', id: 'a' }, A, B], []);
      expect(documents).toEqual([b.stored, undefined, a.stored, b.stored]);
    });

    test('a second write takes the place of the first, and a delete takes it away', async () => {
      const { engine } = await start();
      const [first, second] = [put(A), put(A, undefined, '{"n":2}')];
      await engine.commit(aChange(engine, { puts: [first] }));
      const expected = [{ address: A, version: first.stored.version }];
      await engine.commit(aChange(engine, { expected, puts: [second] }));
      expect((await engine.read([A], [])).documents).toEqual([second.stored]);
      const after = [{ address: A, version: second.stored.version }];
      expect(await engine.commit(aChange(engine, { expected: after, deletes: [A] }))).toMatchObject({
        outcome: 'ok',
      });
      expect((await engine.read([A], [])).documents).toEqual([undefined]);
    });

    test('all documents of a collection are handed out, each once, and none of another', async () => {
      const { engine } = await start();
      const ids = ['', 'a:b', "é'%*", ...Array.from({ length: 250 }, (_, i) => `n${i}`)];
      const puts = ids.map((id) => put({ collection: 'send', id }, undefined, JSON.stringify(id)));
      const others = ['sen', 'send2', 'lane'].map((collection) => put({ collection, id: 'a' }));
      await engine.commit(aChange(engine, { puts: [...puts, ...others] }));
      await engine.commit(aChange(engine, { deletes: [{ collection: 'send', id: 'n7' }] }));
      const found = (await Array.fromAsync(engine.documents('send'))).flat();
      const wanted = puts.map(({ address, stored }) => ({ id: address.id, ...stored }));
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
      expect(found.sort(byId)).toEqual(wanted.filter(({ id }) => id !== 'n7').sort(byId));
      expect((await Array.fromAsync(engine.documents('nothing'))).flat()).toEqual([]);
    });

    test('any text comes back: separators, quotes, other alphabets, nothing at all', async () => {
      const { engine } = await start();
      const texts = ['', ' ', '"\0"', '\n', 'a b c', '{"é":"日本 🎉"}', JSON.stringify('\ud83d'), "'; --"];
      const puts = texts.map((text, i) => put({ collection: 'send', id: `${i}` }, undefined, text));
      await engine.commit(aChange(engine, { puts }));
      const { documents } = await engine.read(
        puts.map(({ address }) => address),
        [],
      );
      expect(documents.map((document) => document?.text)).toEqual(texts);
    });

    test('any id is an id of its own', async () => {
      const { engine } = await start();
      const ids = [
        '',
        ' ',
        ':',
        'a:b',
        'a',
        'a\0',
        'a\0b',
        'b',
        'é',
        'e\u0301',
        '日本',
        '🎉',
        '\uffff',
        "'",
        '"',
        '%',
        '*',
      ];
      const addresses = ids.flatMap((id) => [
        { collection: 'send', id },
        { collection: 'send-a', id },
      ]);
      const puts = addresses.map((address) => put(address));
      await engine.commit(aChange(engine, { puts }));
      const { documents } = await engine.read(addresses, []);
      expect(documents).toEqual(puts.map(({ stored }) => stored));
    });

    test('a document of a megabyte comes back whole, and a hundred of 12 KB fit into one commit', async () => {
      const { engine } = await start();
      const large = put(A, undefined, JSON.stringify('é'.repeat(500_000)));
      const many = Array.from({ length: 100 }, (_, i) =>
        put({ collection: 'text', id: `${i}` }, undefined, JSON.stringify(`${i}`.repeat(6000))),
      );
      const puts = [large, ...many];
      expect(await engine.commit(aChange(engine, { puts }))).toMatchObject({ outcome: 'ok' });
      const { documents } = await engine.read(
        puts.map(({ address }) => address),
        [],
      );
      expect(documents).toEqual(puts.map(({ stored }) => stored));
    });

    test('thousands of documents are written, read and deleted in one commit each', async () => {
      const { engine } = await start();
      const ids = Array.from({ length: 2500 }, (_, i) => `${i}`);
      const entries = ids.map((id) => entry(id, Number(id)));
      await fill(engine, entries);
      const { documents, ranges } = await engine.read(
        ids.map((id) => ({ collection: 'send', id })),
        [ALL],
      );
      expect(ranges[0]?.map(({ id }) => id)).toEqual(ids);
      const change = aChange(engine, {
        expected: ids.map((id, i) => ({
          address: { collection: 'send', id },
          version: documents[i]?.version,
        })),
        deletes: ids.map((id) => ({ collection: 'send', id })),
        entries: { added: [], removed: entries },
      });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
      expect(await idsIn(engine)).toEqual([]);
      expect((await engine.read([{ collection: 'send', id: '7' }], [])).documents).toEqual([undefined]);
    });

    test('a commit that need not be on the disk yet is there all the same', async () => {
      const { engine } = await start();
      const change = aChange(engine, { puts: [put(A, 'v-a')], isSynced: false });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
      expect((await engine.read([A], [])).documents).toEqual([{ version: 'v-a', text: '{}' }]);
    });
  });

  describe(`the expectations of a commit (${name})`, () => {
    test('another version is a conflict, and its answer has the present document', async () => {
      const { engine, clock } = await start();
      const there = put(A);
      await engine.commit(aChange(engine, { puts: [there] }));
      const expected = [
        { address: B, version: undefined },
        { address: A, version: 'v-other' },
      ];
      const refused = await engine.commit(aChange(engine, { expected, puts: [put(A), put(B)] }));
      const reading = { now: clock.now(), documents: [undefined, there.stored], ranges: [] };
      expect(refused).toEqual({ outcome: 'conflict', reading });
      expect((await engine.read([B, A], [])).documents).toEqual(reading.documents);
    });

    test('a version that begins like the expected one is another', async () => {
      const { engine } = await start();
      await engine.commit(aChange(engine, { puts: [put(A, 'v-10', '"v-1 "')] }));
      for (const version of ['v-1', 'v-100', 'v-']) {
        const expected = [{ address: A, version }];
        expect(await engine.commit(aChange(engine, { expected }))).toMatchObject({ outcome: 'conflict' });
      }
    });

    test('a document where none may be, and none where one must be: both are conflicts', async () => {
      const { engine } = await start();
      await engine.commit(aChange(engine, { puts: [put(A, 'v-a')] }));
      const absent = aChange(engine, { expected: [{ address: A, version: undefined }], puts: [put(A)] });
      expect(await engine.commit(absent)).toMatchObject({ outcome: 'conflict' });
      const present = aChange(engine, { expected: [{ address: B, version: 'v-b' }], puts: [put(B)] });
      expect(await engine.commit(present)).toMatchObject({ outcome: 'conflict' });
      expect((await engine.read([A, B], [])).documents).toEqual([{ version: 'v-a', text: '{}' }, undefined]);
    });

    test('one conflict refuses the whole commit: no document, no delete, no entry', async () => {
      const { engine } = await start();
      await fill(engine, [entry('kept', 1), entry('moved', 2)]);
      const change = aChange(engine, {
        expected: [{ address: B, version: 'v-none' }],
        puts: [put(A)],
        deletes: [{ collection: 'send', id: 'kept' }],
        entries: { added: [entry('moved', 9)], removed: [entry('kept', 1), entry('moved', 2)] },
      });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'conflict' });
      expect((await engine.read([A], [])).documents).toEqual([undefined]);
      expect(await idsIn(engine)).toEqual(['kept', 'moved']);
    });

    test('a document that was deleted and created again is not the one that was read', async () => {
      const { engine } = await start();
      const first = put(A, 'v-first', '"same"');
      await engine.commit(aChange(engine, { puts: [first] }));
      await engine.commit(aChange(engine, { deletes: [A] }));
      await engine.commit(aChange(engine, { puts: [put(A, 'v-again', '"same"')] }));
      const expected = [{ address: A, version: 'v-first' }];
      const refused = await engine.commit(aChange(engine, { expected, puts: [put(A)] }));
      expect(refused).toMatchObject({
        outcome: 'conflict',
        reading: { documents: [{ version: 'v-again' }] },
      });
    });

    test('a commit that only expects answers whether it is so', async () => {
      const { engine } = await start();
      await engine.commit(aChange(engine, { puts: [put(A, 'v-a')] }));
      const expecting = (version: string) => aChange(engine, { expected: [{ address: A, version }] });
      expect(await engine.commit(expecting('v-a'))).toMatchObject({ outcome: 'ok' });
      expect(await engine.commit(expecting('v-b'))).toMatchObject({ outcome: 'conflict' });
    });

    test('of a hundred commits on the same read, exactly one wins', async () => {
      const { engine, join } = await start();
      const other = await join();
      const first = put(A);
      await engine.commit(aChange(engine, { puts: [first] }));
      const expected = [
        { address: A, version: first.stored.version },
        { address: B, version: undefined },
      ];
      const changes = Array.from({ length: 100 }, () =>
        aChange(engine, { expected, puts: [put(A), put(B)] }),
      );
      const answers = await Promise.all(changes.map((change, i) => (i % 2 ? engine : other).commit(change)));
      const won = changes.filter((_, i) => answers[i]?.outcome === 'ok');
      expect(won).toHaveLength(1);
      const stored = won[0]?.puts.map((written) => written.stored);
      expect((await engine.read([A, B], [])).documents).toEqual(stored);
      expect((await other.read([A, B], [])).documents).toEqual(stored);
    });

    test('counting up with retries from the conflict alone loses nothing', async () => {
      const { engine, join } = await start();
      const other = await join();
      async function add(used: Engine): Promise<void> {
        for (let [stored] = (await used.read([A], [])).documents; ; ) {
          const expected = [{ address: A, version: stored?.version }];
          const text = String(Number(stored?.text ?? 0) + 1);
          const answer = await used.commit(aChange(used, { expected, puts: [put(A, newVersion(), text)] }));
          if (answer.outcome === 'ok') return;
          [stored] = answer.reading.documents;
        }
      }
      await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 ? engine : other)));
      expect((await engine.read([A], [])).documents[0]?.text).toBe('40');
    });
  });

  describe(`the same commit again (${name})`, () => {
    test('it happened once, and answers ok', async () => {
      const { engine } = await start();
      const change = aChange(engine, {
        expected: [
          { address: A, version: undefined },
          { address: B, version: undefined },
        ],
        puts: [put(A), put(B)],
        entries: { added: [entry('a', 1)], removed: [] },
      });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
      expect(await idsIn(engine)).toEqual(['a']);
    });

    test('also when its time is over: it did happen in time', async () => {
      const { engine, clock } = await start();
      const change = aChange(engine, { puts: [put(A)], before: clock.now() + 10 });
      await engine.commit(change);
      clock.advance(60_000);
      expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
    });

    test('also if one of its documents has changed since, which is left as it is', async () => {
      const { engine } = await start();
      const [a, b, next] = [put(A), put(B), put(B, undefined, '"next"')];
      const change = aChange(engine, { puts: [a, b] });
      await engine.commit(change);
      await engine.commit(aChange(engine, { puts: [next] }));
      expect(await engine.commit(change)).toMatchObject({ outcome: 'ok' });
      expect((await engine.read([A, B], [])).documents).toEqual([a.stored, next.stored]);
    });

    test('a refused commit is not taken for done', async () => {
      const { engine } = await start();
      const change = aChange(engine, { expected: [{ address: A, version: 'v-none' }], puts: [put(B)] });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'conflict' });
      expect(await engine.commit(change)).toMatchObject({ outcome: 'conflict' });
    });
  });

  describe(`the time of a commit (${name})`, () => {
    test('the clock must be below `before`', async () => {
      const { engine, clock } = await start();
      const before = clock.now() + 100;
      const there = put(B);
      await engine.commit(aChange(engine, { puts: [there] }));
      const late = aChange(engine, {
        expected: [{ address: B, version: there.stored.version }],
        puts: [put(A)],
        before,
      });
      clock.advance(100);
      const reading = { now: clock.now(), documents: [there.stored], ranges: [] };
      expect(await engine.commit({ ...late, at: clock.now() })).toEqual({ outcome: 'late', reading });
      expect((await engine.read([A], [])).documents).toEqual([undefined]);
      clock.advance(-1);
      expect(await engine.commit({ ...late, at: clock.now() })).toMatchObject({ outcome: 'ok' });
    });

    test('the clock must be near the time that it was computed for', async () => {
      const { engine, clock } = await start();
      const outcomes: string[] = [];
      for (const off of [-2001, -2000, 2000, 2001]) {
        const change = aChange(engine, { puts: [put(A)], at: clock.now() + off });
        outcomes.push((await engine.commit(change)).outcome);
      }
      expect(outcomes).toEqual(['late', 'ok', 'ok', 'late']);
    });

    test('a commit that is late and in conflict is late, and shows the present documents', async () => {
      const { engine, clock } = await start();
      await fill(engine, [entry('a', 1)]);
      const refused = await engine.commit(
        aChange(engine, {
          expected: [{ address: A, version: 'v-none' }],
          before: clock.now(),
        }),
      );
      expect(refused).toMatchObject({
        outcome: 'late',
        reading: { documents: [{ text: '"a"' }] },
      });
    });

    test('a commit that its caller has given up is refused, and does not happen', async () => {
      const { engine } = await start();
      const until = performance.now();
      await sleep(1);
      const given = engine.commit(aChange(engine, { puts: [put(A)] }), until);
      await expect(given).rejects.toMatchObject({ name: expect.stringMatching(/Error$/), code: 'late' });
      await expect(engine.read([A], [], until)).rejects.toMatchObject({ code: 'late' });
      const { documents } = await engine.read([A], [], performance.now() + 10_000);
      expect(documents).toEqual([undefined]);
    });
  });

  describe(`ranges (${name})`, () => {
    test('entries come in the order of their keys, each with its document', async () => {
      const { engine } = await start();
      await fill(engine, [entry('x', 'b', 10), entry('y', 'b', 9), entry('z', 'a', 100)]);
      const { ranges } = await engine.read([], [ALL]);
      expect(ranges[0]).toEqual([
        { id: 'z', key: keyText(['a', 100]), stored: { version: expect.any(String), text: '"z"' } },
        { id: 'y', key: keyText(['b', 9]), stored: { version: expect.any(String), text: '"y"' } },
        { id: 'x', key: keyText(['b', 10]), stored: { version: expect.any(String), text: '"x"' } },
      ]);
    });

    test('ids of one key come in the order of their bytes, whatever is in them', async () => {
      const { engine } = await start();
      const ids = ['', '!', 'a', 'a\0b', 'a!', 'a:b', 'b', 'é', '日本', '\uffff', '🎉'];
      await fill(
        engine,
        ids.toReversed().map((id) => entry(id, 7)),
      );
      expect(await idsIn(engine)).toEqual(ids);
      expect(await idsIn(engine, { isReverse: true })).toEqual(ids.toReversed());
    });

    test('from the first key on, up to but not including the last', async () => {
      const { engine } = await start();
      await fill(
        engine,
        [1, 2, 3, 4].map((n) => entry(`n${n}`, 'k', n)),
      );
      const at = (n: number) => keyText(['k', n]);
      expect(await idsIn(engine, { from: at(2), to: at(4) })).toEqual(['n2', 'n3']);
      expect(await idsIn(engine, { from: at(2), to: at(4), isReverse: true })).toEqual(['n3', 'n2']);
      expect(await idsIn(engine, { from: at(3), to: at(3) })).toEqual([]);
      expect(await idsIn(engine, { from: at(4), to: at(2) })).toEqual([]);
      expect(await idsIn(engine, { from: at(5), to: at(9) })).toEqual([]);
    });

    test('a key that begins another comes before it, whatever its ids', async () => {
      const { engine } = await start();
      await fill(engine, [entry('a', 'k', 1), entry('~', 'k'), entry('b', 'k', 1, 1), entry('c', 'l')]);
      expect(await idsIn(engine)).toEqual(['~', 'a', 'b', 'c']);
      expect(await idsIn(engine, startingWith(['k']))).toEqual(['~', 'a', 'b']);
      expect(await idsIn(engine, startingWith(['k', 1]))).toEqual(['a', 'b']);
    });

    test('a limit takes the first, from either end', async () => {
      const { engine } = await start();
      await fill(
        engine,
        [1, 2, 3].map((n) => entry(`n${n}`, n)),
      );
      expect(await idsIn(engine, { limit: 2 })).toEqual(['n1', 'n2']);
      expect(await idsIn(engine, { limit: 2, isReverse: true })).toEqual(['n3', 'n2']);
      expect(await idsIn(engine, { limit: 0 })).toEqual([]);
      expect(await idsIn(engine, { limit: 9 })).toEqual(['n1', 'n2', 'n3']);
    });

    test('an index is one collection’s own', async () => {
      const { engine } = await start();
      await fill(engine, [entry('a', 1)]);
      await engine.commit(
        aChange(engine, {
          puts: [put({ collection: 'lane', id: 'l' })],
          entries: { added: [{ ...entry('l', 1), collection: 'lane' }], removed: [] },
        }),
      );
      expect(await idsIn(engine)).toEqual(['a']);
      expect(await idsIn(engine, { collection: 'lane' })).toEqual(['l']);
      expect(await idsIn(engine, { index: 'other' })).toEqual([]);
    });

    test('an entry moves with its document, and an entry that is removed and added stays', async () => {
      const { engine } = await start();
      await fill(engine, [entry('a', 1), entry('b', 2)]);
      const entries = { added: [entry('a', 3), entry('b', 2)], removed: [entry('a', 1), entry('b', 2)] };
      await engine.commit(aChange(engine, { puts: [put(A)], entries }));
      expect(await idsIn(engine)).toEqual(['b', 'a']);
    });

    test('an entry whose document is gone is in the range, without a document, and counts in its limit', async () => {
      const { engine } = await start();
      await fill(engine, [entry('a', 1), entry('b', 2)]);
      await engine.commit(aChange(engine, { deletes: [A] }));
      const gone = { id: 'a', key: keyText([1]), stored: undefined };
      const { ranges } = await engine.read([], [ALL, { ...ALL, limit: 1 }]);
      expect(ranges).toEqual([[gone, expect.objectContaining({ id: 'b' })], [gone]]);
    });
  });
}
