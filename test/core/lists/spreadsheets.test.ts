import { describe, expect, it } from 'vitest';
import { file, pasted, readHere, readList, sentenceOf } from '../helpers/lists.ts';

const ANA = '447700900001';
const BOB = '447700900002';

/** Bytes as old programs write them. */
function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

function utf16(text: string, order: 'le' | 'be'): Uint8Array {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

describe('files as programs write them', () => {
  it.each([
    ['Excel, CSV UTF-8', `\uFEFFName,Mobile\r\nZoë,+${ANA}\r\n"O'Hara, Bob",+${BOB}\r\n`],
    [
      'Excel, CSV of a German computer',
      latin1(`Name;Handynummer\r\nZoë;+${ANA}\r\n"O'Hara, Bob";+${BOB}\r\n`),
    ],
    [
      'Excel, CSV of a French computer',
      latin1(`Name;N\xB0 de t\xE9l\xE9phone\r\nZoë;+${ANA}\r\n"O'Hara, Bob";+${BOB}\r\n`),
    ],
    ['Excel, Unicode text', utf16(`Name\tPhone\r\nZoë\t+${ANA}\r\n"O'Hara, Bob"\t+${BOB}\r\n`, 'le')],
    ['UTF-16, the other way round', utf16(`Name\tPhone\r\nZoë\t+${ANA}\r\n"O'Hara, Bob"\t+${BOB}\r\n`, 'be')],
    ['Excel, with its hint', `sep=;\r\nName;Phone\r\nZoë;+${ANA}\r\n"O'Hara, Bob";+${BOB}\r\n`],
    [
      'Excel, with its hint in quotes',
      `"sep=\t"\r\nName\tPhone\r\nZoë\t+${ANA}\r\n"O'Hara, Bob"\t+${BOB}\r\n`,
    ],
    ['Excel for Macs of old', `Name;Phone\rZoë;+${ANA}\r"O'Hara, Bob";+${BOB}`],
    ['LibreOffice, all text quoted', `"Name","Phone"\n"Zoë","+${ANA}"\n"O'Hara, Bob","+${BOB}"\n`],
    ['Google Sheets', `Name,Phone,\r\nZoë,+${ANA},\r\n"O'Hara, Bob",+${BOB},`],
    ['Google Sheets, tabs', `Name\tPhone\nZoë\t+${ANA}\nO'Hara, Bob\t+${BOB}`],
    ['Numbers', `Name;Phone;\nZoë;'+${ANA};\nO'Hara, Bob;'+${BOB};\n`],
    ['pandas, with a gap', `,name,phone\n0,Zoë,${ANA}.0\n1,"O'Hara, Bob",${BOB}.0\n`],
    ['formulas that keep text', `Name,Phone\nZoë,"=""+${ANA}"""\n"O'Hara, Bob",="+${BOB}"\n`],
    ['a lost plus sign', `Name,Phone\nZoë,${ANA}\n"O'Hara, Bob",${BOB}\n`],
    [
      'all digits in scientific notation',
      `Name;Phone\nZoë;4,47700900001E+11\nO'Hara, Bob;4.47700900002E11\n`,
    ],
    ['thousands separators', `Name,Phone\nZoë,"447,700,900,001"\n"O'Hara, Bob","447,700,900,002"\n`],
    ['spaces behind commas', `Name, Phone\nZoë, +44 7700 900001\n"O'Hara, Bob", "+44 7700 900002"\n`],
    ['a column too many and one too few', `Name,Phone,City\nZoë,+${ANA}\n"O'Hara, Bob",+${BOB},Rome,x,y\n`],
  ])('%s', async (_, content) => {
    const { checked, messages } = await readHere(content, { template: 'Hi {name}' });
    expect(checked.kind).toBe('list');
    expect(messages.map(({ phone, text }) => [phone, text])).toEqual([
      [ANA, 'Hi Zoë'],
      [BOB, "Hi O'Hara, Bob"],
    ]);
    expect(messages[1]?.row).toBe((messages[0]?.row ?? 0) + 1);
  });

  it('reads Windows-1252 with its own signs, not Latin-1', async () => {
    const bytes = Buffer.concat([Buffer.from(`phone;name\n+${ANA};`), Buffer.from([0x80, 0x92, 0x8a])]);
    const { messages } = await readHere(bytes, { template: '{name}' });
    expect(messages[0]?.text).toBe('€’Š');
  });

  it('keeps a character whole that lies across two pieces', async () => {
    const rows = Array.from(
      { length: 9000 },
      (_, index) => `+4477009${String(index).padStart(5, '0')},日本語😀`,
    );
    const text = `phone,name\n${rows.join('\n')}`;
    for (const content of [text, utf16(text, 'le')]) {
      const { messages } = await readHere(content, { template: '{name}' });
      expect(messages).toHaveLength(9000);
      expect(new Set(messages.map((message) => message.text))).toEqual(new Set(['日本語😀']));
    }
  });

  it('counts rows as a spreadsheet does: header, blank rows, and cells of several lines', async () => {
    const text = `\r\nname,phone\r\n"Ana\r\nMaria",+${ANA}\r\n\r\n,,\r\n"say ""hi""",+${BOB}\r\n"5"" pipe",\r\n`;
    const { messages, checked } = await readHere(text, { template: '{name}' });
    expect(messages).toEqual([
      { phone: ANA, row: 3, text: 'Ana\r\nMaria' },
      { phone: BOB, row: 6, text: 'say "hi"' },
    ]);
    expect(checked).toMatchObject({
      summary: { rows: 3, wrongRows: [{ row: 7, problem: 'wrong_number', reason: 'no number' }] },
    });
  });

  it('does not count the hint for the delimiter as a row', async () => {
    const { messages } = await readHere(`sep=,\r\nphone\r\n+${ANA}`);
    expect(messages[0]?.row).toBe(2);
  });

  it('leaves quotation marks alone that are inside of a cell', async () => {
    const text = `phone,name\n+${ANA},5" pipe\n+${BOB},"Ann" Smith\n`;
    const { messages } = await readHere(text, { template: '{name}' });
    expect(messages.map((message) => message.text)).toEqual(['5" pipe', '"Ann" Smith']);
  });

  it.each([
    ['never closed', `phone,name\n+${ANA},x\n+${BOB},"Bob\n+447700900003,y\n`, 3],
    ['never closed in the first row', `+${ANA},"Ben,Your order; it is here\n`, 1],
    ['torn open by a later one', `phone,name\n+${ANA},"Ana\n+${BOB},"Bob"\n+447700900003,"Cy"\n`, 2],
    [
      'closed by a later one',
      `phone,name\n+${ANA},"Ana\n+${BOB},Bob\n+447700900003,5"\n+447700900004,Di\n`,
      2,
    ],
  ])('names the row of a quotation mark that is %s', async (_, text, row) => {
    const { checked } = await readHere(text, { template: '{name}' });
    expect(checked).toMatchObject({ kind: 'problem', field: 'file', code: 'open_quote' });
    expect(sentenceOf(checked)).toContain(`row ${row} `);
  });

  it('says how to go on with a closed cell that has a line like a row', async () => {
    const text = `phone,message\n+${ANA},"Call one of us:\n+${BOB},Bob"\n`;
    const { checked } = await readHere(text, { template: '' });
    expect(sentenceOf(checked)).toMatch(
      /^In row 2 .* a line in this cell looks like a row: join its lines\.$/,
    );
  });

  it('reads a decimal comma as no delimiter', async () => {
    const text = `phone;amount\n+${ANA};1,50\n+${BOB};2,75\n`;
    const { messages } = await readHere(text, { template: '{amount}' });
    expect(messages.map((message) => message.text)).toEqual(['1,50', '2,75']);
  });

  it('takes empty quotation marks for an empty cell, not for the beginning of one', async () => {
    const text = `"+${ANA}",""\n"+${BOB}","ok; see; you"\n`;
    const { messages } = await readHere(text, { template: 'Hi {2|there}' });
    expect(messages.map((message) => message.text)).toEqual(['Hi there', 'Hi ok; see; you']);
  });
});

describe('a text that is no list', () => {
  it.each([
    ['a workbook of today', Buffer.from('504b030414000600', 'hex'), 'workbook'],
    ['a workbook of old', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'workbook'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not_text'],
    ['Excel, CSV of MS-DOS', Buffer.from('phone;name\n+447700900001;M\x81ller', 'latin1'), 'not_text'],
    [
      'Excel, CSV of a Japanese computer',
      Buffer.from('phone,name\n+447700900001,\x8d\x82\x8b\xb4', 'latin1'),
      'not_text',
    ],
    ['UTF-16 without a mark', Buffer.from('phone\n', 'utf16le'), 'not_text'],
    ['nothing', Buffer.alloc(0), 'empty'],
    ['blank rows', Buffer.from('\uFEFF\r\n ,, \r\n'), 'empty'],
    ['a header alone', Buffer.from('phone,name\r\n'), 'empty'],
    ['too many bytes', Buffer.alloc(10 * 1024 * 1024 + 1, 'a\n'), 'too_large'],
    ['too many rows', Buffer.from(`+${ANA}${'\n'.repeat(1_048_577)}`), 'too_large'],
  ])('%s', async (_, bytes: Uint8Array, code) => {
    const { checked } = await readHere(bytes);
    expect(checked).toMatchObject({ kind: 'problem', field: 'file', code });
  });

  it.each([
    ['a printout', Buffer.from('%PDF-1.7\n%âãÏÓ\n')],
    ['a printout with NULs', Buffer.from('%PDF-1.7\n\0\n+447700900001')],
    ['a document', Buffer.from('{\\rtf1\\ansi +447700900001\\par}')],
    ['a web page', Buffer.from('<html><table><tr><td>+447700900001')],
    ['a web page without its beginning', Buffer.from('<meta charset="utf-8"><table><tr><td>+447700900001')],
    [
      'a page of lines',
      Buffer.from('<!doctype html>\n<table>\n<tr>\n<td>+447700900001</td>\n</tr>\n</table>'),
    ],
    ['garbage without NULs', Buffer.from('phone\n\x01\x02\x03\x04\x05\x06')],
  ])('%s: nobody gets a text', async (_, bytes: Uint8Array) => {
    const { checked } = await readHere(bytes);
    expect(['problem', 'nothing']).toContain(checked.kind);
  });

  it('says what to do with a workbook', async () => {
    const { checked } = await readHere(Buffer.from('504b030414000600', 'hex'));
    expect(sentenceOf(checked)).toContain('as CSV UTF-8');
  });
});

describe('pasted lists', () => {
  it('takes a number a line, with fields behind it', async () => {
    const { messages } = await readList(pasted(`+44 7700 900001, Ana\n+${BOB},Bob`), { template: 'Hi {2}' });
    expect(messages).toEqual([
      { phone: ANA, row: 1, text: 'Hi Ana' },
      { phone: BOB, row: 2, text: 'Hi Bob' },
    ]);
  });

  it.each([`${ANA}\tAna`, `+${ANA};Ana`, `phone\tname\n${ANA}\tAna`])('takes %j', async (text) => {
    const { messages } = await readList(pasted(text), { template: '{2}' });
    expect(messages).toMatchObject([{ phone: ANA, text: 'Ana' }]);
  });

  it('refuses a line of several numbers', async () => {
    const { checked } = await readList(pasted(`+${ANA}, +${BOB}\n+447700900003`));
    expect(checked).toMatchObject({
      summary: { toSend: 1, wrongRows: [{ row: 1, reason: '2 numbers in one line: write one a line' }] },
    });
  });

  it('puts characters in place of emoji shortcodes, and names custom emoji', async () => {
    const typed = { template: 'Hi {2} :wave:' };
    const { messages } = await readList(pasted(`+${ANA}, Ana :heart:`), typed);
    expect(messages[0]?.text).toBe('Hi Ana ❤️ 👋');
    const { checked } = await readList(pasted(`+${ANA}, Ana :our_logo:`), typed);
    expect(checked).toMatchObject({ kind: 'problem', field: 'recipients', code: 'custom_emoji' });
    expect(sentenceOf(checked)).toContain(':our_logo:');
    const inTemplate = await readList(pasted(`+${ANA}`), { template: 'x :our_logo:' });
    expect(inTemplate.checked).toMatchObject({ field: 'message', code: 'custom_emoji' });
  });

  it('leaves shortcodes in files as they are', async () => {
    const { messages } = await readList(file(`phone,name\n+${ANA},:heart: :our_logo:`), {
      template: '{name}',
    });
    expect(messages[0]?.text).toBe(':heart: :our_logo:');
  });

  it.each(['', ' \n ', '\u200B'])('says that %j is empty', async (text) => {
    const { checked } = await readList(pasted(text));
    expect(checked).toMatchObject({ kind: 'problem', field: 'recipients', code: 'empty' });
  });
});
