import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packText, unpackText } from '../../src/store/redis/packed-text.ts';

const RECORD = {
  id: 'a1',
  team: 'T1',
  channelId: 'C1',
  instance: 'i1',
  kind: 'single',
  details: { by: 'U1', text: 'Grüße 👋' },
  topics: ['receipt', 'line'],
  state: 'finished',
  createdAt: 1767690000000,
};

/** The same text, packed by format 9. */
const OF_FORMAT_9 = 'SKiiMtX1w0jRiYZIadoQPVEboqbqTENikrAhwvnuRYf3HJ6fqvBh/sRuJYqi09DczNzM0gACamsBoFs/jA==';

test('JSON is the same again', () => {
  const whole = (value: unknown) => {
    const json = JSON.stringify(value);
    expect(unpackText(packText(json))).toBe(json);
  };
  fc.assert(fc.property(fc.jsonValue({ depthSize: 'large' }), whole));
  whole(RECORD);
  whole('x');
  whole(
    Array.from({ length: 100 }, (_, row) => ({ phone: `4420794609${row}`, text: `Grüße 👋 ${row}`, row })),
  );
});

test('a text that format 9 has packed can be read: a change of COMMON_TEXT makes another format', () => {
  expect(JSON.parse(unpackText(Buffer.from(OF_FORMAT_9, 'base64')))).toEqual({ record: RECORD });
});

test('a text that earlier formats have written unpacked can be read', () => {
  const json = JSON.stringify(RECORD);
  expect(unpackText(Buffer.from(json))).toBe(json);
});

test('a send takes less than half of its JSON', () => {
  const json = JSON.stringify({ record: RECORD });
  expect(packText(json).length).toBeLessThan(json.length / 2);
});

test('a text that cannot be packed any smaller stays as it is', () => {
  const json = JSON.stringify(Array.from({ length: 40 }, (_, at) => (at * 7919) % 9973));
  expect(packText(json).length).toBeLessThanOrEqual(json.length);
  expect(packText('{"until":1795445071093}').toString()).toBe('{"until":1795445071093}');
});

test('bytes that were lost or changed give no text', () => {
  const packed = packText(JSON.stringify({ record: RECORD }));
  expect(unpackText(packed.subarray(0, -1))).toBe('');
  const changed = Buffer.from(packed);
  changed[20] = (changed[20] ?? 0) ^ 1;
  expect(unpackText(changed)).toBe('');
});
