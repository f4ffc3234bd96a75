import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListSummary } from '../../../src/core/lists/list.ts';
import type { NothingToSend } from '../../../src/core/lists/row-pass.ts';
import { countSegments } from '../../../src/core/texts/segments.ts';
import type { LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';
import { readHere } from '../helpers/lists.ts';

const phone = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 30 }).map((last) => `+4477009000${String(last).padStart(2, '0')}`),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 30 }).map((last) => `="4477009000${String(last).padStart(2, '0')}"`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '0812 345', 'x', '4.41E+11', "'+447700900001", '+447700900001,', '\t'),
  },
);
const word = fc.string({ unit: fc.constantFrom(...'aZé €😀,;"\n\'=+-@|{}'), maxLength: 12 });
const rows = fc.array(fc.tuple(word, phone, word), { minLength: 1, maxLength: 60, size: 'max' });
const format = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t'),
  record_delimiter: fc.constantFrom('windows', 'unix', 'mac'),
  quoted: fc.boolean(),
  bom: fc.boolean(),
  quote_record_delimiter: fc.constant(true),
});
const template = fc.constantFrom('Hi {name}', 'Hi {name|you}', '{{{name}}}{other|}', 'Hello', '{other}');

/** Plain text: no spreadsheet would escape it, and a list of one row splits in one way only. */
function isUsual(cell: string): boolean {
  return !/^\s*['"=+\-@]|^\s|\s$|[;\t]/.test(cell);
}

describe('a list, whatever it holds', () => {
  it('has each row in one class, and its chunks hold exactly what will be sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        format,
        template,
        fc.integer({ min: 1, max: 7 }),
        async (list, csv, text, size) => {
          const content = stringify([['name', 'phone', 'other'], ...list], csv);
          const options = { template: text, chunkSize: size, mostCharacters: 12 };
          const { checked, chunks, messages, wrongCsv } = await readHere(content, options);
          if (checked.kind === 'which_column' || checked.kind === 'problem') {
            expect(checked).toMatchObject({ kind: 'problem', code: 'open_quote' });
            return;
          }
          const { rows: count, wrong } =
            'summary' in checked ? (checked.summary as ListSummary) : (checked as NothingToSend);
          const sum = Object.values(wrong).reduce((all, each) => all + (each ?? 0), 0);
          expect(messages.length + sum).toBe(count);
          expect(count).toBe(list.filter((row) => row.some((cell) => cell.trim() !== '')).length);
          expect(new Set(messages.map((message) => message.phone)).size).toBe(messages.length);
          for (const message of messages) expect([...message.text].length).toBeLessThanOrEqual(12);
          expect(chunks.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true);
          expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= size)).toBe(true);
          const numbers = messages.map(({ row }) => row ?? 0);
          expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
          expect(wrongCsv === '').toBe(sum === 0);
          if (!('summary' in checked)) return;
          const { toSend, bySegments, ucs2, samples } = checked.summary as ListSummary;
          const segments = messages.map((message) => countSegments(message.text));
          expect(toSend).toBe(messages.length);
          expect(ucs2).toBe(segments.filter(({ encoding }) => encoding === 'UCS-2').length);
          expect(Object.values(bySegments).reduce((all, each) => all + each, 0)).toBe(toSend);
          expect(samples.first.text).toBe(messages[0]?.text);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('comes back mended from its list of wrong rows with the cells that it had', async () => {
    const cells = fc.array(fc.tuple(word.filter(isUsual), word.filter(isUsual)), {
      minLength: 1,
      maxLength: 90,
    });
    await fc.assert(
      fc.asyncProperty(cells, fc.boolean(), async (list, hasHeader) => {
        const numbers = list.map((_, index) => `+4477009000${String(index).padStart(2, '0')}`);
        const text = hasHeader ? '{name|}.{other|}' : '{2|}.{3|}';
        const contentWith = (phones: string[]) =>
          stringify(
            [
              ...(hasHeader ? [['phone', 'name', 'other']] : []),
              ...list.map(([name, other], index) => [phones[index], name, other]),
            ],
            { quote_record_delimiter: true },
          );
        const right = await readHere(contentWith(numbers), { template: text });
        const { wrongCsv } = await readHere(contentWith(numbers.map(() => '0812 345')), { template: text });
        const [header = [], ...wrong] = parse(wrongCsv, { bom: true }) as string[][];
        const mended = wrong.map((row, index) => row.with(header.indexOf('phone'), `'${numbers[index]}`));
        const again = await readHere(stringify([header, ...mended], { quote_record_delimiter: true }), {
          template: text,
        });
        const sent = (read: { messages: LedgerMessage[] }) =>
          read.messages.map((message) => [message.phone, message.text]);
        expect(sent(again)).toEqual(sent(right));
      }),
      { numRuns: 200 },
    );
  });

  it('reads from its list of wrong rows how a cell begins, though our files defuse it', async () => {
    const cell = fc
      .string({ unit: fc.constantFrom(...'aé\'"=+-@\t\r\n＝＋－＠ \u200B'), maxLength: 6 })
      // A spreadsheet adds such an apostrophe itself.
      .filter((text) => !/^\s*'[=+\-@＝＋－＠\t\r]/.test(text));
    await fc.assert(
      fc.asyncProperty(cell, async (name) => {
        const rows = { quote_record_delimiter: true, quoted: true };
        const listed = (phone: string) =>
          stringify(
            [
              ['phone', 'name', 'z'],
              [phone, name, 'z'],
            ],
            rows,
          );
        const template = '[{name|}]';
        const right = await readHere(listed('+447700900001'), { template });
        const { wrongCsv } = await readHere(listed('0812 345'), { template });
        const [header = [], ...wrong] = parse(wrongCsv, { bom: true }) as string[][];
        const mended = wrong.map((row) => row.with(header.indexOf('phone'), "'+447700900001"));
        const again = await readHere(stringify([header, ...mended], rows), { template });
        expect(again.messages.map(({ text }) => text)).toEqual(right.messages.map(({ text }) => text));
      }),
      { numRuns: 1000, examples: [['="0815"'], ['=""']] },
    );
  });

  it('in UTF-8 keeps all other letters if one is cut in the middle', async () => {
    const names = fc.array(fc.string({ unit: fc.constantFrom(...'aZéłя日😀'), minLength: 1, maxLength: 8 }), {
      minLength: 3,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(names, async (list) => {
        const rows = list.map((name, index) => `+4477009000${String(index).padStart(2, '0')},${name}é`);
        const torn = Buffer.from('+447700900099,Zoé').subarray(0, -1);
        const content = Buffer.concat([Buffer.from(`phone,name\n${rows.join('\n')}\n`), torn]);
        const { messages } = await readHere(content, { template: '{name}' });
        expect(messages.map(({ text }) => text)).toEqual([...list.map((name) => `${name}é`), 'Zo\uFFFD']);
      }),
      { numRuns: 200 },
    );
  });

  it('in Windows-1252 keeps its letters, whatever is beside them', async () => {
    const bytes: { [letter: string]: number } = { '€': 0x80, '’': 0x92, '“': 0x93, '”': 0x94 };
    // In UTF-8, É” and Ã€ are the bytes of one letter each.
    const parts = ['é', 'ü ', 'ñ', 'ßa', 'É” é', 'Ã€ à', '’s', '“x', 'ÉE', 'n', ' '];
    const word = fc
      .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 12 })
      .map((some) => `x${some.join('')}x`);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 20 }), async (list) => {
        const rows = list.map((name, index) => `+4477009000${String(index).padStart(2, '0')},${name} né`);
        const text = `phone,name\n${rows.join('\n')}`;
        const content = Buffer.from([...text].map((letter) => bytes[letter] ?? letter.charCodeAt(0)));
        const { messages } = await readHere(content, { template: '{name}' });
        expect(messages.map((message) => message.text)).toEqual(list.map((name) => `${name} né`));
      }),
      { numRuns: 200 },
    );
  });

  it('gets an answer, whatever its bytes are', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400, size: 'max' }),
      fc.string({
        unit: fc.constantFrom(...'+447700900123,;\t"\n\r {}é\uFEFF'),
        size: 'max',
        maxLength: 400,
      }),
      fc.string({ unit: 'binary', size: 'max', maxLength: 200 }).map((text) => `phone,name\n${text}`),
    );
    await fc.assert(
      fc.asyncProperty(bytes, template, async (content, text) => {
        const { checked } = await readHere(content, { template: text });
        expect(['problem', 'which_column', 'nothing', 'list']).toContain(checked.kind);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('a template, whatever it holds', () => {
  const list = 'phone,name\n+447700900001,Ana';
  const filled = async (text: string) => {
    const { checked, messages } = await readHere(list, { template: text });
    return { checked, text: messages[0]?.text };
  };

  it('shows any text whose braces are typed twice', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'a{}| \n😀'), minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, async (wanted) => {
        const shown = `x${wanted}`;
        expect((await filled(shown.replace(/[{}]/g, '$&$&'))).text).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });

  it('is refused with one brace too many, wherever that is', async () => {
    const pieces = fc.array(
      fc.constantFrom(
        ['{{', '{'],
        ['}}', '}'],
        ['{name}', 'Ana'],
        ['{name|you}', 'Ana'],
        ['a', 'a'],
        ['\n', '\n'],
      ),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(), fc.constantFrom('{', '}'), async (parts, place, brace) => {
        const right = `x${parts.map(([typed]) => typed).join('')}`;
        expect((await filled(right)).text).toBe(`x${parts.map(([, shown]) => shown).join('')}`);
        const at = place % (right.length + 1);
        const { checked } = await filled(right.slice(0, at) + brace + right.slice(at));
        expect(checked).toMatchObject({ kind: 'problem', field: 'message' });
      }),
      { numRuns: 1000 },
    );
  });
});
