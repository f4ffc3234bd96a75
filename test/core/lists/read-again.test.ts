import { describe, expect, it, test } from 'vitest';
import { decode } from '../../../src/core/lists/decode.ts';
import { readAgain } from '../../../src/core/lists/read-again.ts';

const LONDON = '+442079460958';
const PARIS = '+33612345678';

const read = (text: string | Buffer, asked: Parameters<typeof readAgain>[2] = {}) =>
  readAgain(Buffer.from(text), new Map([[2, LONDON]]), asked);

async function cellsOf(text: string, row: number, e164: string, asked = {}) {
  const list = await readAgain(Buffer.from(text), new Map([[row, e164]]), asked);
  return list && [list.header, list.cellsOf(row, '#')];
}

describe('the list’s own columns', () => {
  it.each([
    ['commas', `name,phone,city\nAnn,${LONDON},"London, UK"\n`, 2],
    ['semicolons and a hint', `sep=;\nname;phone;city\nAnn;${LONDON};"London, UK"\n`, 2],
    ['a title and blank rows above', `Summer\n\nname,phone,city\n\nAnn,${LONDON},"London, UK"\n`, 5],
  ])('come with the number as we write it: %s', async (_, text, row) => {
    expect(await cellsOf(text, row, LONDON)).toEqual([
      ['name', 'phone', 'city'],
      ['Ann', '#', 'London, UK'],
    ]);
  });

  it('are padded where a row is short', async () => {
    expect(await cellsOf(`phone,name,city\n${LONDON}\n`, 2, LONDON)).toEqual([
      ['phone', 'name', 'city'],
      ['#', '', ''],
    ]);
  });

  it('have names where the header names too few', async () => {
    expect(await cellsOf(`Summer\n${LONDON},Ann,Leeds\n`, 2, LONDON, { phoneColumn: 0 })).toEqual([
      ['Summer', '2', '3'],
      ['#', 'Ann', 'Leeds'],
    ]);
  });

  it('have names that a list can be sent with if they had none', async () => {
    expect(await cellsOf(`${LONDON},Ann\n${PARIS},Bob\n`, 2, PARIS)).toEqual([
      ['phone', '2'],
      ['#', 'Bob'],
    ]);
  });

  it.each([
    ['', '', 2],
    ['row,reason,', '9,no number,', 4],
  ])('have the phone also if a title seems to be their header: %s', async (ours, before, phoneColumn) => {
    const text = `${ours}Summer\n${before}Ann,Leeds,${LONDON}\n`;
    expect(await cellsOf(text, 2, LONDON, { phoneColumn })).toEqual([
      ['Summer', '2', 'phone'],
      ['Ann', 'Leeds', '#'],
    ]);
  });

  it('come without our two columns of a list of wrong rows', async () => {
    const text = `row,reason,name,phone\n7,no number,Ann,${LONDON}\n`;
    expect(await cellsOf(text, 2, LONDON)).toEqual([
      ['name', 'phone'],
      ['Ann', '#'],
    ]);
  });

  it('come from the column that the person chose, with the country of the channel', async () => {
    const text = 'mobile,phone,name\n020 7946 0958,020 7946 0000,Ann\n';
    expect(await cellsOf(text, 2, LONDON, { country: 'GB', phoneColumn: 0 })).toEqual([
      ['mobile', 'phone', 'name'],
      ['#', '020 7946 0000', 'Ann'],
    ]);
    expect(await cellsOf(text, 2, LONDON, { country: 'GB', phoneColumn: 1 })).toBeUndefined();
    expect(await cellsOf(text, 2, LONDON, { phoneColumn: 0 })).toBeUndefined();
  });
});

describe('a file that somebody changed', () => {
  it.each([
    ['now holds another number', 2],
    ['is gone', 99],
  ])('is not used: a row %s', async (_, row) => {
    const text = `name,phone\nAnn,${LONDON}\nEve,${PARIS}\n`;
    const recipients = new Map([
      [2, LONDON],
      [3, PARIS],
    ]);
    expect(await readAgain(Buffer.from(text), recipients, {})).toBeDefined();
    expect(await readAgain(Buffer.from(text), recipients.set(row, PARIS), {})).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no number', 'name,city\nAnn,London\n'],
    ['a workbook', Buffer.from('504b0304', 'hex')],
    ['an open quotation mark', `name,phone\n"Ann,${LONDON}\n`],
    ['two columns of numbers', `phone,mobile\n${LONDON},${PARIS}\n`],
    ['very many columns', `phone,${'name,'.repeat(1000)}\n${LONDON}\n`],
    ['rows that are far too long', `phone,name\n${LONDON}\n${PARIS}${','.repeat(1000)}\n`],
  ])('is not used if it holds %s', async (_, text) => {
    expect(await read(text)).toBeUndefined();
  });
});

test('short rows make no results that are far larger than the list', async () => {
  const text = `phone${',name'.repeat(200)}\n${`${LONDON}\n`.repeat(60_000)}`;
  const wanted = new Map(Array.from({ length: 60_000 }, (_, index) => [index + 2, LONDON]));
  expect(await readAgain(Buffer.from(text), wanted, {})).toBeUndefined();
});

test.each([
  ['Windows-1252', Buffer.from(`phone,name\n${`${LONDON},Zoë Müller\n`.repeat(100_000)}`, 'latin1')],
  ['UTF-8 with torn letters', Buffer.concat([Buffer.from('é,\n'.repeat(700_000)), Buffer.from([0xc3])])],
])('a long list lets other work run while it is read: %s', async (_, bytes) => {
  const pieces = bytes.length / 65_536;
  let turns = 0;
  const count = () => {
    turns += 1;
    turning = setImmediate(count);
  };
  let turning = setImmediate(count);
  const decoded = await decode(bytes);
  clearImmediate(turning);
  expect(decoded).toHaveProperty('pieces');
  expect(turns).toBeGreaterThan(pieces / 2);
});
