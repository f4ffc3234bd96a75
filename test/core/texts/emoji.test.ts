import SHORTCODES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandEmoji } from '../../../src/core/texts/emoji.ts';
import { emojiNamed } from '../../../src/core/texts/emoji-names.ts';

const NAMES = Object.values(SHORTCODES).flat();
const RGI = /^\p{RGI_Emoji}$/v;

describe('expandEmoji', () => {
  it.each([
    [':thumbsup:', '👍'],
    [':+1: :-1: :thumbsdown:', '👍 👎 👎'],
    [':simple_smile: :slightly_smiling_face:', '🙂 🙂'],
    [':flag-gb: :gb: :uk: :de: :flag-england:', '🇬🇧 🇬🇧 🇬🇧 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    [':man-woman-girl::family:', '👨‍👩‍👧👪'],
    [':wave::skin-tone-2: :wave::skin-tone-6:', '👋🏻 👋🏿'],
    [':+1::skin-tone-3::tada:', '👍🏼🎉'],
    [':male-doctor::skin-tone-4:', '👨🏽‍⚕️'],
    [':point_up::skin-tone-5:', '☝🏾'],
    [':handshake::skin-tone-2-6:', '🫱🏻‍🫲🏿'],
    [':people_holding_hands::skin-tone-3-5:', '🧑🏼‍🤝‍🧑🏾'],
    [':rocket::skin-tone-2:', '🚀🏻'],
    [':skin-tone-2:', '🏻'],
    [':heart: :hash: :copyright: :sunny:', '❤️ #️⃣ ©️ ☀️'],
    ['(:tada:), ":tada:" – :tada:!', '(🎉), "🎉" – 🎉!'],
    ['Thanks:tada:', 'Thanks🎉'],
    [':tada:thanks', '🎉thanks'],
    ['ok:+1:', 'ok👍'],
    ['Hello:thumbsup:there', 'Hello👍there'],
    ['日本:jp:です', '日本:jp:です'],
    [':100: of :100:', '💯 of 💯'],
    ['line\n:tada:\n', 'line\n🎉\n'],
  ])('%j → %j', (text, expanded) => {
    expect(expandEmoji(text)).toEqual({ text: expanded, custom: [] });
  });

  it.each([
    'at 10:30:15',
    'at 10:30:45 or 11:00',
    ':30: sharp',
    '10:100:15',
    'room 3:100: left',
    'a:b:c',
    'aa:bb:cc:dd:ee:ff',
    '00:1a:2b:3c:4d:5e',
    'http://x:80:',
    'https://host:8080/a:foo:b',
    'see //:path: there',
    'ftp://me:secret@host:21/',
    'std::vector::size',
    '::std::',
    'fe80::1:2:3',
    ':) :-) :( ;-) :D :p: :o',
    'note:urgent: call',
    'call :urgent:ly',
    'a : b : c',
    ': spaced name :',
    ':Upper: case',
    ':',
    '::',
    ':::',
    'ratio 3:2',
    '今日は:すごい:です',
    'начало:важно: да',
    ':Важно: да',
    'от 10:３0:15 до ١٠:٣٠:١٥',
  ])('%j stays as it is', (text) => {
    expect(expandEmoji(text)).toEqual({ text, custom: [] });
  });

  it.each([
    [':partyparrot:', ['partyparrot']],
    ['hi :party_parrot::tada: there', ['party_parrot']],
    [':our-logo::skin-tone-2:', ['our-logo']],
    [':logo1: :logo2:, :logo1:', ['logo1', 'logo2']],
    [':tada::shipit::squirrel:', ['shipit', 'squirrel']],
    ['(:logo:)', ['logo']],
    ['“:logo:”', ['logo']],
    [":rock'n'roll:", ["rock'n'roll"]],
    ['10:30 :logo:', ['logo']],
    ['おめでとう :すごい: :ロゴ1:!', ['すごい', 'ロゴ1']],
    [':привет: :école: :मस्त:', ['привет', 'école', 'मस्त']],
  ])('%j has custom emoji', (text, custom) => {
    expect(expandEmoji(text).custom).toEqual(custom);
  });

  it('keeps everything around a shortcode, whatever it is', () => {
    const around = fc
      .string({ unit: 'binary', maxLength: 200, size: 'max' })
      .filter((text) => !text.includes(':'));
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(expandEmoji(`${before} :tada: ${after}`).text).toBe(`${before} 🎉 ${after}`);
      }),
    );
  });

  it('never throws, and changes nothing if no name is between colons', () => {
    const piece = fc.constantFrom(':', 'a', 'tada', 'skin-tone-2', '1', ' ', '😀');
    const text = fc.array(piece, { maxLength: 30, size: 'max' }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (typed) => {
        const expanded = expandEmoji(typed).text;
        expect(expanded.replace(/[^ ]/gu, '')).toBe(typed.replace(/[^ ]/gu, ''));
        if (!/:[^: ]+:/.test(typed)) expect(expanded).toBe(typed);
      }),
    );
  });
});

describe('the names', () => {
  it('all mean emoji as phones draw them', () => {
    expect(NAMES.length).toBeGreaterThan(1900);
    for (const name of NAMES) expect(emojiNamed(name), name).toMatch(RGI);
    expect(emojiNamed('constructor')).toBeUndefined();
  });

  it('take each skin tone, alone and as two, as far as there are such emoji', () => {
    let toned = 0;
    for (const name of NAMES) {
      const plain = emojiNamed(name) ?? '';
      for (const tone of ['2', '6', '2-6', '5-3']) {
        const text = expandEmoji(`:${name}::skin-tone-${tone}:`).text;
        if (RGI.test(text)) toned += 1;
        else expect(text.startsWith(plain), `${name} ${tone}`).toBe(true);
        if (isForTwo(name)) expect(text, `${name} ${tone}`).toMatch(RGI);
        if (isForOne(plain)) expect(RGI.test(text), `${name} ${tone}`).toBe(!tone.includes('-'));
      }
    }
    expect(toned).toBeGreaterThan(600);
  });
});

function isForTwo(name: string): boolean {
  return /^(handshake|people_holding_hands|couplekiss|couple_with_heart|(wo)?man-(kiss|heart)-(wo)?man)$/.test(
    name,
  );
}

function isForOne(emoji: string): boolean {
  return /^(?!👫|👬|👭|💏|💑|🤝|👪|👯|🤼)\p{Emoji_Modifier_Base}\uFE0F?$/u.test(emoji);
}

it.each([
  ['Hi \uD83D', 'Hi \uFFFD'],
  ['\uDC4D:+1:\uD83D', '\uFFFD👍\uFFFD'],
  ['👍', '👍'],
])('half a character becomes �: no request could carry %j', (typed, text) => {
  expect(expandEmoji(typed)).toEqual({ text, custom: [] });
});
