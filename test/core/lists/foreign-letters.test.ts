import { expect, it } from 'vitest';
import { readHere, sentenceOf } from '../helpers/lists.ts';

/** A list of these names, as a program writes it in this encoding of one byte a letter. */
function listIn(encoding: string, names: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  const rows = names.split(', ').map((name, index) => `+4477009000${String(index).padStart(2, '0')};${name}`);
  const text = ['phone;name', ...rows].join('\r\n');
  return Uint8Array.from(text, (letter) => bytes.get(letter) ?? Number.NaN);
}

it.each([
  ['Russian', 'windows-1251', 'Анна Иванова, Пётр Смирнов, ООО «Ромашка», OK'],
  ['Russian, in capitals', 'windows-1251', 'ИВАНОВ, ПЕТРОВ'],
  ['Ukrainian', 'windows-1251', 'Олексій Шевченко, Її, Андрій Ковальчук'],
  ['Bulgarian', 'windows-1251', 'Георги Димитров, Цветелина'],
  ['Greek', 'windows-1253', 'Μαρία Παπαδοπούλου, Γιώργος'],
  ['Polish', 'windows-1250', 'Anna Nowak, Paweł Kołodziej'],
  ['Polish, of another program', 'iso-8859-2', 'Anna Nowak, Paweł Kołodziej'],
  ['Czech', 'windows-1250', 'Novák, Růžička, Dvořák'],
  ['Czech, with one such name', 'windows-1250', 'Novák, Svoboda, Jan Černý'],
  ['Czech, of a woman', 'windows-1250', 'Jana Němcová, Eva Svobodová'],
  ['Slovak', 'windows-1250', 'Kováč, Juraj Kováčik, Ďuriš'],
  ['Croatian', 'windows-1250', 'Ivan Horvat, Marko Kovačević'],
  ['Romanian', 'windows-1250', 'Ana Popescu, Ion Ioniţă'],
  ['German, of a Mac', 'macintosh', 'Jürgen Schmidt, Anna Huber'],
  ['German, of a Mac, with one such name', 'macintosh', 'Anna Huber, Peter Händel'],
  ['Swiss, of a Mac', 'macintosh', 'Zürich, Straße'],
  ['French, of a Mac', 'macintosh', 'Anne Martin, André Dubois'],
  ['Spanish, of a Mac', 'macintosh', 'Ana López, Iván Sánchez'],
  ['Portuguese, of a Mac', 'macintosh', 'Ana Sousa, João Simões'],
  ['Italian, of a Mac', 'macintosh', 'Anna Rossi, Niccolò'],
  ['Norwegian, of a Mac', 'macintosh', 'Anna Berg, Håkon'],
  // A byte of cp437 is what Windows-1252 shows for it.
  ['German, of MS-DOS', 'windows-1252', 'Anna Huber, H„ndel'],
  ['French, of MS-DOS', 'windows-1252', 'Anne Martin, Ren‚e'],
])(
  'a list in %s that is in no encoding we read is refused: its letters would be wrong',
  async (_, encoding, names) => {
    const { checked } = await readHere(listIn(encoding, names), { template: '{name}' });
    expect(checked).toMatchObject({ kind: 'problem', field: 'file', code: 'foreign_letters' });
    expect(sentenceOf(checked)).toBe(
      'The characters of this file can’t be read. Save it as CSV (UTF-8) and try again.',
    );
  },
);

it.each([
  ['English', 'Zoë, Café, 5 m³, 12 m² each, No. 1¹'],
  ['French', 'Élodie Lefèvre, Noël Müller, À Gœthe, Françoise, Hélène Crémière, L’Haÿ, ÉLÈVE'],
  ['German', 'Jürgen Groß, Äöü, Ärzte-Büro, ÖÄÜ GmbH'],
  ['Spanish', 'José Muñoz, ¿Qué?, María Ibáñez, Nºserie, Mª José'],
  ['Catalan', 'Mònica Sànchez, Núria Vèlez, Lluïsa'],
  ['Portuguese', 'João Simões, Conceição, Órgãos, Antônio'],
  ['Italian', 'Niccolò, Così è, Perché, Città più'],
  ['Danish and Norwegian', 'Søren Ærø, Bjørn Åse, Øystein Bø'],
  ['Swedish', 'Åsa Öberg, ÅÄÖ AB, Händel'],
  ['Finnish', 'Hyvää yötä, Päiviö Mäkelä, Tšaikovski'],
  ['Estonian', 'Õnne Jõgi, Šveits, Öö, Žanna Põld'],
  ['Icelandic', 'Þórður Æsir, Guðrún Ýr, Í dag, Það er'],
  ['Faroese', 'Jákup Øðrvísi, Høgni í Dølum'],
  ['Dutch and Irish', 'Zoë Coöper, Seán Ó Sé, Siún Ní Dhúill'],
  ['Slovene without its own letters', 'Šimunek, Žižek, Saša'],
  ['Yoruba', 'Adéníyì, Bùsáyò, Tèmítáyò, Olúwatóyìn'],
  ['Chinese in Latin letters', 'Xiùyíng, Yùlín, Lìhuá'],
  [
    'signs and capitals',
    '„Haus“, ‚so‘, BGB §823, Preis‡, 5 ‰, Menü › Ändern, CŒUR, Œuvre, DAŽD, Cœur, Ÿ, O‘Brien',
  ],
  ['units in one word', '12 m³je Haus, 40cm³pro'],
  ['a trial of letters', 'Test åäö ÅÄÖ, æøå ÆØÅ, äöüß, ñáé, àéè, çùê'],
  ['ornaments', '××× SALE ×××, ÷÷÷, ¸¸¸'],
])('a list in Windows-1252 keeps the letters of %s', async (_, names) => {
  const { checked, messages } = await readHere(listIn('windows-1252', names), { template: '{name}' });
  expect(checked.kind).toBe('list');
  expect(messages.map(({ text }) => text)).toEqual(names.split(', '));
});

it('a long word of such letters is refused in a moment', async () => {
  const words = ['è', '¿À', 'ø'].map((part) => part.repeat(200_000)).join(' ');
  const { checked } = await readHere(listIn('windows-1252', words));
  expect(checked).toMatchObject({ kind: 'problem', code: 'foreign_letters' });
});
