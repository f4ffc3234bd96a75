import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../src/core/lists/csv-format.ts';

describe('toCsv', () => {
  it('writes UTF-8 with its mark, and lines as spreadsheets end them', () => {
    const rows = [
      [1, 'Zoë 😀'],
      [2, ''],
    ];
    const csv = toCsv(['row', 'name'], rows);
    expect(Buffer.from(csv).toString()).toBe('\uFEFFrow,name\r\n1,Zoë 😀\r\n2,\r\n');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+447700900001', "'+447700900001"],
    ['-5', "'-5"],
    ['@name', "'@name"],
    ['\tx', "'\tx"],
    ['＝1', "'＝1"],
    ['\rx', `"'\rx"`],
    ['=A1,B1', `"'=A1,B1"`],
    ['a\nb', '"a\nb"'],
    ['say "hi"', '"say ""hi"""'],
    [-5, '-5'],
    ['plain', 'plain'],
  ])('writes %j as %j', (cell, written) => {
    expect(Buffer.from(toCsv([cell, 'x'], [])).toString()).toBe(`\uFEFF${written},x\r\n`);
  });
});
