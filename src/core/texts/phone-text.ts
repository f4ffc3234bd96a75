/** More digits than any number plan allows, even with an international prefix: we read no longer ones. */
export const MOST_DIGITS = 20;

/** What the characters of a typed number say, before any number plan is asked. */
export type DialledText =
  | {
      kind: 'dialled';
      /** Whether it began with a plus sign. */
      plus: boolean;
      /** ASCII digits. More than one entry when a `(0)` may or may not belong to the number. */
      digits: readonly [string, ...string[]];
    }
  | {
      kind: 'problem';
      code: 'empty' | 'letters' | 'characters' | 'extension' | 'several_numbers' | 'too_long';
    };

const INVISIBLE = /[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]/gu;
const PLAIN = new RegExp(`^\\+?[0-9]{1,${MOST_DIGITS}}$`);
const EXTENSION =
  /\d\)?\s*(?:[;,]?\s*(?:ext(?:ension|n)?|x|durchwahl|poste|доб|внутр)[\s.:=]*|#\s*|,+\s*)\d{1,7}#?$/iu;

/**
 * Folds the characters of a typed phone number to ASCII: digits of every script, full-width signs, all kinds of dashes,
 * dots, slashes, brackets and spaces. Drops bidi marks and other invisible characters. Line breaks stay.
 */
export function foldPhoneText(text: string): string {
  return text
    .replace(INVISIBLE, '')
    .replace(/[^\P{Nd}0-9]/gu, asciiDigit)
    .replace(/[＋﹢⁺]/gu, '+')
    .replace(/[\p{Pd}\u2212\u2043\u30FC\uFF70]/gu, '-')
    .replace(/[\u00B7\u2022\u2024\u2027\uFF0E]/gu, '.')
    .replace(/[／⁄∕]/gu, '/')
    .replace(/[（[［]/gu, '(')
    .replace(/[）\]］]/gu, ')')
    .replace(/[^\S\n]+/gu, ' ')
    .trim();
}

/** Unicode keeps the ten digits of a script together and in order, zero first; no two sets touch unevenly. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/**
 * Reads the characters of one typed number: `+44 (0)20 7946-0958`, `(+44) 20…`, `tel:+44…`. A trailing comma,
 * semicolon, colon or full stop is ignored. An extension is a problem, since a text can't be sent to one.
 */
export function readDialled(text: string): DialledText {
  // Most numbers of long lists are plain: the steps below would not change them.
  if (PLAIN.test(text)) {
    return { kind: 'dialled', plus: text.startsWith('+'), digits: [text.replace('+', '')] };
  }
  const typed = foldPhoneText(text)
    .replace(/^(?:tel|sms|callto):\s*/i, '')
    .replace(/[\s.,;:]+$/, '');
  if (!/[\p{L}\d]/u.test(typed)) return { kind: 'problem', code: typed === '' ? 'empty' : 'characters' };
  if (holdsSeveral(typed)) return { kind: 'problem', code: 'several_numbers' };
  if (EXTENSION.test(typed)) return { kind: 'problem', code: 'extension' };
  if (/\p{L}/u.test(typed)) return { kind: 'problem', code: 'letters' };

  const opened = typed.replace(/^\(\s*\+\s*(\d+)\s*\)/, '+$1 ');
  if (!/^\+?[\d\s./()-]+$/.test(opened)) return { kind: 'problem', code: 'characters' };
  if (/[()]/.test(opened.replace(/\([\d\s./-]*\)/g, ''))) return { kind: 'problem', code: 'characters' };

  const digits = opened.replace(/\D/g, '');
  if (digits.length > MOST_DIGITS) return { kind: 'problem', code: 'too_long' };
  const withoutTrunk = opened.replace(/\(\s*0\s*\)/, '').replace(/\D/g, '');
  return {
    kind: 'dialled',
    plus: opened.startsWith('+'),
    digits: withoutTrunk === digits ? [digits] : [digits, withoutTrunk],
  };
}

function holdsSeveral(typed: string): boolean {
  const parts = typed.split(/[,;|&\n]|\s(?:and|or)\s|(?=\+)/i);
  return parts.filter((part) => part.replace(/\D/g, '').length >= 5).length > 1;
}
