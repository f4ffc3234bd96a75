import { describe, expect, onTestFinished, test } from 'vitest';
import { createPriceBook } from '../../../src/core/sends/prices.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';
import { withoutWords } from '../../../src/ledger/model/read-chunks.ts';
import type { InOneStep } from '../../../src/records/step.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { boot, createCoreWorld } from '../../helpers/core-world.ts';
import { openRecords } from '../../helpers/open-records.ts';
import { onceRead } from '../../helpers/two-bots.ts';

const log = { warn() {} };
const SHORT = 'Hello';
const LONG = 'x'.repeat(200);
const chunkOf = (...texts: string[]) =>
  ({ messages: texts.map((text) => ({ phone: '442079460958', text })) }) as ChunkRecord;

describe('the price book', () => {
  test('knows the documented price until the account has receipts, each account its own', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    const prices = createPriceBook(records, ledger, log);
    expect(await prices.estimate('a', [1, 2])).toEqual({
      least: 2,
      credits: 3,
      perMessage: 2,
      basis: 'documented',
    });
    await prices.learn('a', [SHORT], 3);
    await prices.learn('a', [LONG], 6);
    expect(await prices.estimate('a', [1, 2])).toEqual({ credits: 9, perMessage: 6, basis: 'receipts' });
    expect(await prices.estimate('b', [1])).toEqual({ credits: 1, basis: 'documented' });
    expect(await prices.costOf('a', [chunkOf(SHORT), chunkOf(SHORT, LONG)])).toBe(12);
  });

  test.each(['no JSON', '{}', '{"value":{"bySegments":{"1":"two"}}}'])(
    'learns again if its record is damaged (%s)',
    async (text) => {
      const world = await createCoreWorld();
      const { cipher, ledger } = await boot(world);
      const db = openDatabase(world.folder);
      onTestFinished(() => db.close());
      const records = openRecords(db, cipher);
      const prices = createPriceBook(records, ledger, log);
      await prices.learn('a', [SHORT], 3);
      db.sql("UPDATE kv SET value = ? WHERE namespace = 'prices'").run(text);
      expect(await prices.estimate('a', [1])).toEqual({ credits: 1, basis: 'documented' });
      expect(await prices.costOf('a', [chunkOf(SHORT)])).toBe(1);
      await prices.learn('a', [SHORT], 3);
      expect(await prices.estimate('a', [1])).toEqual({ credits: 3, basis: 'receipts' });
    },
  );

  test('writes nothing for a receipt that teaches nothing', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    let writes = 0;
    const inOneStep: InOneStep = (work) =>
      records.inOneStep((step) => {
        const set: typeof step.set = (...args) => {
          writes += 1;
          step.set(...args);
        };
        return work({ ...step, set });
      });
    const prices = createPriceBook({ ...records, inOneStep }, ledger, log);
    for (const credits of [1, 1, 1]) await prices.learn('a', [SHORT], credits);
    expect(writes).toBe(1);
  });

  test('knows no cost if receipts contradict each other', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    const prices = createPriceBook(records, ledger, log);
    await prices.learn('a', [SHORT], 1);
    await prices.learn('a', [SHORT], 2);
    expect(await prices.costOf('a', [chunkOf(SHORT)])).toBeUndefined();
    expect((await prices.estimate('a', [1])).credits).toBe(2);
  });

  test('knows of a contradiction, too, if two bots learn from their receipts at the same moment', async () => {
    const world = await createCoreWorld();
    const [one, other] = [await boot(world), await boot(world)];
    const meanwhile = onceRead(one.records, 'prices', () =>
      createPriceBook(other.records, other.ledger, log).learn('a', [SHORT], 1),
    );
    await createPriceBook(meanwhile, one.ledger, log).learn('a', [SHORT], 2);
    expect(await createPriceBook(one.records, one.ledger, log).costOf('a', [chunkOf(SHORT)])).toBeUndefined();
  });

  test('knows no cost of texts if an operator has erased one of them', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    const prices = createPriceBook(records, ledger, log);
    await prices.learn('a', [SHORT], 1);
    const erased = { messages: [withoutWords({ phone: '442079460958', text: LONG })] } as ChunkRecord;
    expect(await prices.costOf('a', [chunkOf(SHORT), erased])).toBeUndefined();
  });

  test('learns from texts that were charged together, unless they differ in segments', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    const prices = createPriceBook(records, ledger, log);
    await prices.learn('a', [SHORT, SHORT, SHORT], 6);
    await prices.learn('a', [SHORT, LONG], 9);
    expect((await prices.estimate('a', [1])).credits).toBe(2);
    expect(await prices.costOf('a', [chunkOf(SHORT, SHORT)])).toBe(4);
  });

  test.each([
    {
      what: 'a price that the account can pay since a top-up',
      had: 3,
      known: 1000,
      credits: 200,
      estimate: 200,
    },
    { what: 'no price that it could never pay', had: 3, known: 1000, credits: 2000, estimate: 1 },
    { what: 'a price that took nearly all', had: 10_000, known: 50, credits: 9000, estimate: 9000 },
    { what: 'no price above what was left of it', had: 10_000, spent: 9950, credits: 9000, estimate: 1 },
  ])('learns $what, with an old baseline', async ({ had, spent = 0, known = 50, credits, estimate }) => {
    const { records } = await boot(await createCoreWorld());
    const booked = had - spent - credits;
    const account = { id: 'a', credits: known, asOf: 2, activity: 1, booked, baselineAt: 1 };
    const prices = createPriceBook(records, { account: async () => account }, log);
    // A price that is far from the known one counts once a second receipt says the same.
    for (const _receipt of [1, 2]) await prices.learn('a', [SHORT], credits);
    expect((await prices.estimate('a', [1])).credits).toBe(estimate);
  });

  test('learns no price that is many times the known one before a second receipt says the same', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    const warned: unknown[] = [];
    const prices = createPriceBook(records, ledger, { warn: (about: unknown) => void warned.push(about) });
    await prices.learn('a', [SHORT], 2);
    await prices.learn('a', [SHORT, SHORT], 1800);
    expect(await prices.estimate('a', [1])).toEqual({ credits: 2, basis: 'receipts' });
    expect(await prices.costOf('a', [chunkOf(SHORT)])).toBe(2);
    expect(warned).toEqual([{ account: 'a', credits: 1800, messages: 2, segments: 1 }]);
    // Another one in between, or another figure, proves nothing.
    for (const credits of [2, 900, 901]) await prices.learn('a', [SHORT], credits);
    expect(await prices.estimate('a', [1])).toEqual({ credits: 2, basis: 'receipts' });
    await prices.learn('a', [SHORT], 901);
    expect(await prices.estimate('a', [1])).toEqual({ least: 2, credits: 901, basis: 'receipts' });
    expect(warned).toHaveLength(3);
  });

  test('says the most that texts may cost', async () => {
    const { records, ledger } = await boot(await createCoreWorld());
    const prices = createPriceBook(records, ledger, log);
    expect(await prices.mostCredits('a', [SHORT, LONG])).toBe(3);
    await prices.learn('a', [SHORT], 2);
    expect(await prices.mostCredits('a', [SHORT, LONG])).toBe(6);
    await prices.learn('a', [LONG], 2);
    expect(await prices.mostCredits('a', [SHORT, LONG])).toBe(4);
    expect(await prices.mostCredits('a', [])).toBe(0);
  });

  test('remembers over a restart', async () => {
    const world = await createCoreWorld();
    const before = await boot(world);
    await createPriceBook(before.records, before.ledger, log).learn('a', [SHORT], 5);
    const after = await boot(world);
    const next = createPriceBook(after.records, after.ledger, log);
    expect(await next.estimate('a', [1])).toEqual({ credits: 5, basis: 'receipts' });
  });
});
