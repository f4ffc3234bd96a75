import { describe, expect, it } from 'vitest';
import { file, pasted, readHere, readList, sentenceOf } from '../helpers/lists.ts';

const ANA = '447700900001';
const BOB = '447700900002';

function texts(list: { messages: { text: string }[] }): string[] {
  return list.messages.map(({ text }) => text);
}

describe('the column of the numbers', () => {
  it.each([
    ...[
      'phone',
      'Phone',
      'PHONE NUMBER',
      'phone_number',
      'Mobile Number',
      'mobile',
      'Cell',
      'cell phone',
      'MSISDN',
    ],
    ...[
      'Tel.',
      'Tel.-Nr.',
      'Telefon',
      'Telefonnummer',
      'Handy',
      'Handy-Nr.',
      'Handynummer',
      'Rufnummer',
      'Mobil',
    ],
    ...[
      'téléphone',
      'TELEPHONE',
      'te\u0301le\u0301phone',
      'Numéro',
      'N° de téléphone',
      'portable',
      'teléfono',
      'móvil',
    ],
    ...[
      'Celular',
      'telefone',
      'telemóvel',
      'cellulare',
      'puhelin',
      'κινητό',
      'Телефон',
      '手机号码',
      '電話番号',
      '전화번호',
    ],
    ...[
      'CEP TELEFONU',
      'Telefon Numarası',
      'הטלפון'.slice(1),
      'رقم الهاتف',
      'Phone 1 - Value',
      '\u200Bphone\u00A0',
    ],
  ])('%j', async (name) => {
    const list = await readHere(`name,${name}\nAna,+${ANA}`, { template: '{name}' });
    expect(list.messages).toEqual([{ phone: ANA, row: 2, text: 'Ana' }]);
  });

  it('is the first if a list has no header', async () => {
    expect(texts(await readHere(`+${ANA},Ana,x\n+${BOB},Bob,y`, { template: '{2}{3}' }))).toEqual([
      'Anax',
      'Boby',
    ]);
  });

  it('is the one with numbers, of two columns with such a name', async () => {
    const list = await readHere(`Number,Mobile\n1,+${ANA}\n2,+${BOB}`);
    expect(list.messages.map(({ phone }) => phone)).toEqual([ANA, BOB]);
  });

  it.each([
    [
      'two names',
      `Home phone,Mobile,Name\n,+${ANA},Ana\n+${BOB},+447700900003,Bob`,
      [0, 1],
      'Mobile',
      `+${ANA}`,
    ],
    ['a name without numbers', `Number,Contact\n1,+${ANA}\n2,+${BOB}`, [0, 1], 'Contact', `+${ANA}`],
    ['no known name', `Who,Contact\nAna,+${ANA}\nBob,+${BOB}`, [1], 'Contact', `+${ANA}`],
    ['no header and a name first', `Ana,+${ANA}\nBob,+${BOB}`, [1], '{2}', `+${ANA}`],
    ['no header and an id first', `1000001,+${ANA}\n1000002,+${BOB}`, [0, 1], '{2}', `+${ANA}`],
    [
      'no header and an id first that may be a number',
      `442079460958,+${ANA}\n442079460959,+${BOB}`,
      [0, 1],
      '{2}',
      `+${ANA}`,
    ],
  ])('is asked for with %s, and taken from the answer', async (_, text, indexes, name, sample) => {
    const asked = await readHere(text);
    expect(asked.checked).toMatchObject({ kind: 'which_column' });
    const columns = 'columns' in asked.checked ? (asked.checked.columns as { index: number }[]) : [];
    expect(columns.map(({ index }) => index)).toEqual(indexes);
    expect(columns.at(-1)).toMatchObject({ name, sample });
    const answered = await readHere(text, { phoneColumn: indexes.at(-1) ?? 0 });
    expect(answered.messages.map(({ phone }) => phone)[0]).toBe(ANA);
  });

  it('may be missing', async () => {
    const { checked } = await readHere('name,city\nAna,Rome\nBob,Paris');
    expect(checked).toMatchObject({ field: 'file', code: 'no_phone_column' });
    expect(sentenceOf(checked)).toBe('The file needs a column called phone; it has: name, city');
    const names = await readList(pasted('Ana\nBob'));
    expect(sentenceOf(names.checked)).toMatch(/^There is no phone number in the list\. Start each line with/);
  });

  it('may be below a title', async () => {
    const list = await readHere(`Customers of 2026,,\r\n,,\r\nName,Phone,\r\nAna,+${ANA},\r\n`, {
      template: '{name}',
    });
    expect(list.checked).toMatchObject({ summary: { rows: 1 } });
    expect(list.messages).toEqual([{ phone: ANA, row: 4, text: 'Ana' }]);
  });

  it.each(['As of 01.11.2026', '2026-11-01', '11/1/2026 10:30:15', '1.1.2026 - 31.12.2026'])(
    'may be below a title and the date %s',
    async (date) => {
      const list = await readHere(`Customers,\n${date},\nName,Phone\nAna,+${ANA}\n`, { template: '{name}' });
      expect(list.messages).toEqual([{ phone: ANA, row: 4, text: 'Ana' }]);
    },
  );

  it.each(['01.23.45.67.89', '0171-12345678', '030/901820'])(
    'is not looked for below a recipient with a number like %s',
    async (number) => {
      const list = await readHere(`Bob,${number},\nAna,+${ANA},mobile\n`, { phoneColumn: 1 });
      expect(list.checked).toMatchObject({ summary: { rows: 2 } });
    },
  );
});

describe('a template', () => {
  const list = `First Name,Größe,phone,,first name,3\nAna,L,+${ANA},blue,Ana-Maria,three\n`;

  it.each([
    ['Hi {First Name}', 'Hi Ana'],
    ['Hi {first name}', 'Hi Ana-Maria'],
    ['Hi {FIRSTNAME}{first_name}', 'Hi AnaAna'],
    ['{größe} {GROSSE} {Gro\u0308ße}', 'L L L'],
    ['{1} {2} {4}', 'Ana L blue'],
    ['{3}', 'three'],
    ['{ phone }', `+${ANA}`],
    ['{First Name|there} {First Name|}', 'Ana Ana'],
    ['{{ and }}', '{ and }'],
    ['{{not a column}}', '{not a column}'],
    ['{{{First Name}}}', '{Ana}'],
    ['}}{First Name}}}{{', '}Ana}{'],
    ['  spaces\n stay  ', '  spaces\n stay  '],
  ])('%j becomes %j', async (template, text) => {
    const { messages } = await readHere(list, { template });
    expect(messages.map((message) => message.text)).toEqual([text]);
  });

  it.each([
    [
      'Hi {name, your order is ready {First Name}',
      'The { at position 4 is never closed: “Hi ▸{name, your…”. To show a {, type {{.',
    ],
    ['a {b', 'The { at position 3 is never closed: “a ▸{b”. To show a {, type {{.'],
    ['😀{a\nb}', 'The { at position 2 is never closed: “😀▸{a b}”. To show a {, type {{.'],
    [
      'Your whole order, First Name}',
      'The } at position 29 was never opened: “…, First Name▸}”. To show a }, type }}.',
    ],
    ['{First Name}}', 'The } at position 13 was never opened: “{First Name}▸}”. To show a }, type }}.'],
    ['{|x}', 'The braces at position 1 hold no column’s name: “▸{|x}”. To show braces, type {{ and }}.'],
    [
      'Hi { }!',
      'The braces at position 4 hold no column’s name: “Hi ▸{ }!”. To show braces, type {{ and }}.',
    ],
    [
      'Hi {{first name|you}}',
      'The {{ at position 4 would show as a plain {: “Hi ▸{{first name…”. To fill in the column, type {first name}.',
    ],
  ])('%j is refused, and the place shown', async (template, sentence) => {
    const { checked } = await readHere(list, { template });
    expect(checked).toMatchObject({ kind: 'problem', field: 'message', code: 'stray_brace' });
    expect(sentenceOf(checked)).toBe(sentence);
  });

  it('fills in fallbacks if a cell is empty, and shows one such text', async () => {
    const text = `phone,name\n+${ANA},Ana\n+${BOB}, \n+447700900003\n`;
    const filled = await readHere(text, { template: 'Hi {name | there}!{name|}' });
    expect(texts(filled)).toEqual(['Hi Ana!Ana', 'Hi there!', 'Hi there!']);
    expect(filled.checked).toMatchObject({
      summary: { samples: { fallback: { row: 3, text: 'Hi there!' } } },
    });
  });

  it('names the missing column, and the columns there are', async () => {
    const { checked } = await readHere(`phone,name\n+${ANA},Ana`, { template: '{nmae} {name}' });
    expect(checked).toMatchObject({ kind: 'problem', field: 'message', code: 'unknown_placeholder' });
    expect(sentenceOf(checked)).toBe('There is no column for {nmae}; the columns are: {phone}, {name}');
  });

  it('says how to name the columns of a list that has no names', async () => {
    const { checked } = await readHere(`+${ANA},Ana\n+${BOB},Bob`, { template: 'Hi {name}' });
    expect(sentenceOf(checked)).toBe(
      'There is no column for {name}; the columns are: {1}, {2}. To use names, write them as the first row, such as: phone,name',
    );
  });

  it.each([
    [
      'phone,name,name\n+447700900001,Ana,Smith',
      '{name}',
      'Several columns are called name. Write {2} or {3} instead.',
    ],
    [
      'name,phone,name\nAna,+447700900001,Smith',
      'Hi { name |x}',
      'Several columns are called name. Write {1} or {3} instead.',
    ],
  ])('asks which of several columns %j means', async (list, template, sentence) => {
    const { checked } = await readHere(list, { template });
    expect(checked).toMatchObject({ kind: 'problem', field: 'message', code: 'same_names' });
    expect(sentenceOf(checked)).toBe(sentence);
  });

  it.each([
    ['phone,name,name\n+447700900001,Ana,\n+447700900002,Bob,', 'it is empty'],
    ['phone,name,name\n+447700900001,Ana,Ana\n+447700900002,Bob,Bob', 'it says the same'],
  ])('does not mind another column of the same name: %j, %s', async (list) => {
    expect(texts(await readHere(list, { template: '{name}' }))).toEqual(['Ana', 'Bob']);
  });

  it('shows some of many columns', async () => {
    const header = Array.from({ length: 30 }, (_, index) => `c${index}`).join(',');
    const { checked } = await readHere(`phone,${header}\n+${ANA},x`, { template: '{x}{y}' });
    expect(sentenceOf(checked)).toMatch(/^There are no columns for \{x\}, \{y\};.*\{c18\} and 11 more$/);
  });

  it.each(['', ' \n', '\u200B'])('%j is none: each row has its own text', async (template) => {
    const text = `phone,Nachricht\n+${ANA},Hallo {name} \n+${BOB},\n`;
    const list = await readHere(text, { template });
    expect(texts(list)).toEqual(['Hallo {name}']);
    expect(list.checked).toMatchObject({
      summary: { wrongRows: [{ row: 3, problem: 'empty_placeholder', reason: 'its message is empty' }] },
    });
    expect((await readHere(`phone,name\n+${ANA},Ana`, { template })).checked).toMatchObject({
      field: 'message',
      code: 'no_message',
    });
  });
});

describe('the classes of rows', () => {
  it('come in their order, and each row is in one', async () => {
    const rows = [
      'phone,name',
      `+${ANA},`, // 2: empty, so no later row is its duplicate
      `+${ANA},Ana`, // 3: sent
      `${ANA},`, // 4: a duplicate, and also empty: the duplicate counts
      'x,', // 5: wrong, and also empty: the wrong number counts
      `+${BOB},${'é'.repeat(20)}`, // 6: too long
      `+${BOB},${'😀'.repeat(10)}`, // 7: sent: ten characters, though twenty code units
    ];
    const { checked, messages } = await readHere(rows.join('\n'), {
      template: 'Hi {name}',
      mostCharacters: 13,
    });
    expect(checked).toMatchObject({
      summary: {
        rows: 6,
        toSend: 2,
        wrong: { wrong_number: 1, duplicate: 1, empty_placeholder: 1, too_long: 1 },
        wrongRows: [
          { row: 2, problem: 'empty_placeholder', reason: '{name} is empty' },
          { row: 4, problem: 'duplicate', reason: 'the same number as in row 3' },
          { row: 5, problem: 'wrong_number', reason: '"x" has letters in it' },
          { row: 6, problem: 'too_long', reason: '23 characters; the limit is 13' },
        ],
      },
    });
    expect(messages.map(({ row }) => row)).toEqual([3, 7]);
  });

  it.each([
    ['a text', 'phone,message', `+${BOB},"Hi, Bob",,`, `+${ANA},See you at 5, Ana`, ''],
    [
      'a value before an empty column',
      'phone,name,city,',
      `+${BOB},"Smith, Bob",Rome,`,
      `+${ANA},Smith, Ana,Rome`,
      'Hi {name}',
    ],
    ['a value', 'phone,name,city', `+${BOB},"Smith, Bob",Rome`, `+${ANA},Smith, Ana,Rome`, 'Hi {name}'],
    [
      'a value before the one that is used',
      'phone,name,city',
      `+${BOB},Bob,Rome`,
      `+${ANA},Smith, Ana,Rome`,
      '{3}',
    ],
  ])(
    'tell of %s with a comma that no quotation marks hold together',
    async (_, header, right, torn, template) => {
      const { checked, messages } = await readHere([header, right, torn].join('\n'), { template });
      expect(messages.map(({ phone }) => phone)).toEqual([BOB]);
      expect(checked).toMatchObject({
        summary: {
          wrong: { too_long: 1 },
          wrongRows: [
            {
              row: 3,
              problem: 'too_long',
              reason: expect.stringMatching(/^more cells than the header has: put quotation/),
            },
          ],
        },
      });
    },
  );

  it('tell of a text before the number whose own number would get it', async () => {
    const rows = ['message,phone', `"Hi, Bob",+${BOB}`, `Call us, +442079460000,+${ANA}`].join('\n');
    const { checked, messages } = await readHere(rows, { template: '' });
    expect(messages).toMatchObject([{ phone: BOB, text: 'Hi, Bob' }]);
    const reason = expect.stringMatching(/^more cells than the header has/);
    expect(checked).toMatchObject({ summary: { wrongRows: [{ row: 3, problem: 'too_long', reason }] } });
  });

  it.each([
    ['behind the number', `phone,message\n+${BOB},Hello Bob\n+${ANA},Hello Ana,\n\nsee you\nsoon\n`, 3],
    ['before the number', `message,phone\nHello Bob,+${BOB}\nHello Ana\nsee you,+${ANA}\n`, 4],
    ['with a column behind it', `phone,message,city\n+${BOB},Hi,Rome\n+${ANA},Hello Ana\nsee you,Rome\n`, 3],
  ])('tell of a text of several lines that no quotation marks hold together: %s', async (_, list, row) => {
    const leaveOut = async () => [ANA];
    for (const options of [{}, { leaveOut }]) {
      const { checked, messages } = await readList(file(list), { template: '', ...options });
      expect(messages.map(({ phone }) => phone)).toEqual([BOB]);
      const reason =
        'its text seems to go on in another row: put quotation marks around a text of several lines';
      const wrongRows = expect.arrayContaining([{ row, problem: 'too_long', reason }]);
      expect(checked).toMatchObject({
        summary: { toSend: 1, wrong: { too_long: 1 }, wrongRows },
        leftOut: [],
      });
    }
  });

  it.each([
    ['a row with a wrong number', `phone,message\n+${ANA},Hello\nx,Hello\n`],
    ['a row with a number and no text', `phone,message\n+${ANA},Hello\n+${BOB}\n`],
    ['a last line, for a text that is no cell of its own', `phone,name\n+${ANA},Ana\nTotal 1\n`, 'Hi {name}'],
    ['a line above the first text', `phone,message\nCustomers\n+${ANA},Hello\n`],
  ])('go out beside %s', async (_, list, template = '') => {
    const { messages } = await readHere(list, { template });
    expect(messages.map(({ phone }) => phone)).toEqual([ANA]);
  });

  it('do not mind more cells than columns if no text takes what may be torn', async () => {
    const rows = ['name,phone', `Ana,+${ANA},x,y`, `Bob,+${BOB}`].join('\n');
    for (const template of ['Hello', 'Hi {name}', '{phone}'])
      expect((await readHere(rows, { template })).messages).toHaveLength(2);
  });

  it.each([
    ['a space behind its comma alone', `+${BOB},Hello Bob`, `+${ANA},Hello Ana, how are you?`],
    ['a space behind each comma, and fewer in other lines', `+${BOB}, Hello Bob`, `+${ANA}, Hi Ana, see you`],
    ['several spaces', `+${BOB},  Hello Bob`, `+${ANA},  Hi Ana,  see you`],
    ['a number in quotation marks', `"+${BOB}",Hello Bob`, `"+${ANA}",Hello Ana, see you`],
    ['a semicolon', `+${BOB};Hello Bob`, `+${ANA};Hello Ana; see you`],
  ])('tell of a pasted text that is no column but goes on behind a comma: %s', async (_, right, cut) => {
    const { checked, messages } = await readList(pasted(`${right}\n${cut}`), { template: '{2}' });
    expect(messages.map(({ phone }) => phone)).toEqual([BOB]);
    const reason = expect.stringMatching(
      /^its text seems to go on behind a comma or semicolon: put quotation marks/,
    );
    const wrongRows = [{ row: 2, problem: 'too_long', reason }];
    expect(checked).toMatchObject({ summary: { wrong: { too_long: 1 }, wrongRows } });
  });

  it.each([
    ['columns that nobody uses', `+${ANA},Hello,x\n+${BOB},Hello,y`, '{2}'],
    ['the same with spaces', `+${ANA}, Hello, x\n+${BOB}, Hello, y`, '{2}'],
    ['a column that some lines lack', `+${ANA},Hello\n+${BOB},Hello,VIP`, '{2}'],
    ['texts in quotation marks', `+${ANA},"Hello", x\n+${BOB},"Hello"`, '{2}'],
    ['the cells of a spreadsheet', `+${ANA}\tHello\t x\n+${BOB}\tHello\t y`, '{2}'],
    ['a column beside an empty text', `+${ANA},Hello,x\n+${BOB},, y`, '{2|Hello}'],
    ['a column, though a line has no text', `+${ANA}, Hello, x\n+${BOB}, Hello, y\n+447700900003`, '{2}'],
    [
      'a column without a space, as another line has one',
      `+${ANA}, Hello,x\n+${BOB}, Hello,y\n+447700900003,Hello, x`,
      '{2}',
    ],
    ['a text of several cells', `+${ANA},He,llo, x\n+${BOB},He,llo`, '{2}{3}'],
    ['a header', `phone,text,note\n+${ANA},Hello, x\n+${BOB},Hello`, '{2}'],
  ])('leave %s alone', async (_, list, template) => {
    const { messages } = await readList(pasted(list), { template });
    expect(messages.map(({ text }) => text)).toEqual(['Hello', 'Hello']);
  });

  it('counts what goes out', async () => {
    const text = `phone,name\n+${ANA},Ana\n+442079460958,${'x'.repeat(200)}\n+442079460959,Zoë Łuk\n+12025550143,\n`;
    const { checked } = await readHere(text, { template: '{name|you}' });
    expect(checked).toMatchObject({
      kind: 'list',
      summary: {
        countries: [
          { name: 'United Kingdom', messages: 2 },
          { name: '+44', messages: 1 },
          { name: 'United States', messages: 1 },
        ],
        bySegments: { 1: 3, 2: 1 },
        ucs2: 1,
        unlikely: 1,
        samples: {
          first: { row: 2, e164: `+${ANA}`, text: 'Ana' },
          dearest: { row: 3 },
          fallback: { row: 5, text: 'you' },
        },
      },
    });
  });

  it('keeps the first 20 wrong rows, and writes all', async () => {
    const text = `name;phone\r\n${Array.from({ length: 30 }, (_, index) => `=${index};0${index}`).join('\r\n')}`;
    const { checked, wrongCsv } = await readHere(text);
    expect(checked).toMatchObject({ kind: 'nothing', rows: 30, wrong: { wrong_number: 30 } });
    expect(checked).toHaveProperty('wrongRows.length', 20);
    const lines = wrongCsv.split('\r\n');
    expect(lines).toHaveLength(32);
    expect(lines[0]).toBe('\uFEFFrow,reason,name,phone');
    expect(lines[1]).toMatch(/^2,".+",'=0,00$/);
  });

  it('keeps duplicates only if the rows to correct leave room', async () => {
    const same = Array.from({ length: 25 }, () => `+${ANA}`).join('\n');
    const { checked } = await readHere(`${same}\n+${BOB}\n0812 345`);
    const rows = [...Array.from({ length: 19 }, (_, at) => at + 2), 27];
    expect(checked).toMatchObject({ summary: { wrongRows: rows.map((row) => ({ row })) } });
  });

  it('reads its own list of wrong rows again once it is corrected', async () => {
    const first = await readList(pasted(`+${ANA}, Ana, -5\n0812 345, Bob, +x`), { template: '{2} {3}' });
    expect(first.wrongCsv).toContain(`\r\n2,"""0812 345"" has no country code",0812 345,Bob,'+x`);
    const corrected = first.wrongCsv.replace('0812 345,Bob', `'+${BOB},Bob`);
    const second = await readHere(corrected, { template: '{2} {3}' });
    expect(second.messages).toEqual([{ phone: BOB, row: 2, text: 'Bob +x' }]);
  });

  it('shows ="0815" as 0815, also if it comes back from its own list of wrong rows', async () => {
    const template = 'Your code is {code}';
    const { wrongCsv } = await readHere('phone,code\n0812 345,"=""0815"""', { template });
    const { messages } = await readHere(wrongCsv.replace('0812 345,', `'+${ANA},`), { template });
    expect(messages.map(({ text }) => text)).toEqual(['Your code is 0815']);
  });

  it('takes {row} and {reason} from the list’s own columns, not from ours', async () => {
    const template = 'Row {row}: {reason|none}, {1}';
    const { wrongCsv } = await readHere('phone,row,reason\n0812 345,F,late\n0812 346,G,', { template });
    const corrected = wrongCsv.replace('0812 345,F', `'+${ANA},F`).replace('0812 346,G', `'+${BOB},G`);
    const { messages } = await readHere(corrected, { template });
    expect(messages.map(({ text }) => text)).toEqual([`Row F: late, +${ANA}`, `Row G: none, +${BOB}`]);
    const half = await readHere(wrongCsv.replace('0812 345,F', `'+${ANA},F`), { template });
    expect(half.wrongCsv).toMatch(/^\uFEFFrow,reason,phone,row,reason\r\n3,.+,0812 346,G,\r\n$/);
  });

  it('sends no second text to the duplicates in its own list of wrong rows', async () => {
    const text = `phone,name\n+${ANA},Ana\n+${ANA},Ana Maria\n0812 345,Bob`;
    const { wrongCsv } = await readHere(text, { template: 'Hi {name}' });
    const corrected = wrongCsv.replace('0812 345,Bob', `'+${BOB},Bob`);
    const { messages, checked } = await readHere(corrected, { template: 'Hi {name}' });
    expect(messages).toEqual([{ phone: BOB, row: 3, text: 'Hi Bob' }]);
    const reason = 'a duplicate, as its reason says: delete the reason to send it';
    expect(checked).toMatchObject({ summary: { wrongRows: [{ row: 2, problem: 'duplicate', reason }] } });
    const wanted = await readHere(corrected.replace(/^3,[^,]+,/m, '3,,'), { template: 'Hi {name}' });
    expect(wanted.messages).toHaveLength(2);
  });

  it('sends none either if such a list comes back once more', async () => {
    const text = `phone,name\n+${ANA},Ana\n+${ANA},Ana Maria\n0812 345,Bob`;
    const first = await readHere(text, { template: 'Hi {name}' });
    const second = await readHere(first.wrongCsv, { template: 'Hi {name}' });
    const corrected = second.wrongCsv.replace('0812 345,Bob', `'+${BOB},Bob`);
    const { messages } = await readHere(corrected, { template: 'Hi {name}' });
    expect(messages.map(({ phone }) => phone)).toEqual([BOB]);
  });

  it('writes wrong numbers as in all files, without an apostrophe, and reads them again', async () => {
    const text = `name,phone\nAna,+${ANA}\nTwice,+44 7700 900-001\nFormula,+1+2\n+5,+44-7700-9\n`;
    const first = await readHere(text);
    expect(first.wrongCsv.split('\r\n').slice(1, -1)).toEqual([
      expect.stringMatching(/^3,.+,Twice,\(\+44\) 7700900001$/),
      expect.stringMatching(/^4,.+,Formula,'\+1\+2$/),
      expect.stringMatching(/^5,.+,'\+5,\(\+44\) 77009$/),
    ]);
    const second = await readHere(first.wrongCsv.replace(/^3,[^,]+,/m, '3,,'));
    expect(second).toMatchObject({ messages: [{ phone: ANA, row: 2 }], checked: { summary: { rows: 3 } } });
  });

  it('leaves a number as it was written if the message holds it', async () => {
    const { wrongCsv } = await readHere(`phone\n+${ANA}\n+${ANA}`, { template: 'Is {phone} yours?' });
    expect(wrongCsv).toContain(`,'+${ANA}`);
  });

  it('fills chunks in the list’s order', async () => {
    const rows = Array.from({ length: 25 }, (_, index) => `+4477009000${String(index).padStart(2, '0')}`);
    const { chunks, messages } = await readHere(rows.join('\n'), { chunkSize: 10 });
    expect(chunks.map((chunk) => chunk.length)).toEqual([10, 10, 5]);
    expect(messages.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
  });
});
