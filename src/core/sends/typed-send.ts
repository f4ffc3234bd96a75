import { leadingNumbers, numberEnds } from '../texts/leading-number.ts';
import { type MessageProblem, readMessage } from '../texts/message-text.ts';
import { numbersInText } from '../texts/numbers-in-text.ts';
import {
  type Country,
  type NumberProblem,
  numberProblem,
  type ReadNumber,
  readNumber,
} from '../texts/phone.ts';

/** Number and text as typed, as far as we can tell them apart, to fill a form with. Either may be empty. */
export interface GivenSend {
  number: string;
  text: string;
}

/** One way to read a command: this number, this text as typed. */
export interface SendReading {
  number: ReadNumber;
  text: string;
}

/** The words begin with no number; or their first quotation mark is not closed. */
export interface NoNumber {
  kind: 'problem';
  code: 'no_number' | 'open_quote';
}

/** What the words behind `send` say. */
export type ReadSend =
  /** Nothing was typed: open the form. */
  | { kind: 'empty' }
  /** `text` is what we send: with characters in place of emoji shortcodes, all else as typed. */
  | { kind: 'send'; number: ReadNumber; text: string; given: GivenSend }
  /** A number without a text: offer the form, with the number in it. */
  | { kind: 'no_text'; number: ReadNumber; given: GivenSend }
  /** At least two readings, the shortest number first. Nothing may be sent before the person chose. */
  | { kind: 'ambiguous'; readings: SendReading[]; given: GivenSend }
  | { kind: 'problem'; field: 'number'; problem: NumberProblem | NoNumber; given: GivenSend }
  | { kind: 'problem'; field: 'text'; problem: MessageProblem; number: ReadNumber; given: GivenSend };

const NO_NUMBER: NoNumber = { kind: 'problem', code: 'no_number' };
const OPEN_QUOTE: NoNumber = { kind: 'problem', code: 'open_quote' };

const QUOTE = `["“”„‟«»'‘’‚‛＂＇]`;
const QUOTED = new RegExp(`^${QUOTE}(${QUOTE.replace('[', '[^')}*)${QUOTE}`);
const OPENED = new RegExp(`^${QUOTE}[\\s\\p{Cf}]*[+＋(\\p{Nd}]`, 'u');
/** Words with digits in them that do not begin with a letter: `2671x5`, `0958,+1`; also `x5`. */
const DIGIT_WORDS = /^(?:\s*(?:[^\s\p{L}]|x(?=\d))*\p{Nd}\S*)+/iu;
const EXTENSION_BEHIND = /^(?:ext(?:ension|n)?[\s.:]*|x\s?)\d{1,7}(?!\w)/i;
/** A letter that looks like a digit, beside one: `946 O958`. */
const LOOKALIKE = /(?<=\p{Nd})[OoIl]|[OoIl](?=\p{Nd})/gu;
const SEPARATOR = /^(?:[,;&|/]|(?:and|or)\b)\s*/i;

/**
 * Reads the unwrapped words behind `send`: a number, then the text.
 *
 * The number is the shortest beginning of the first line that is a number in a known range. If a longer beginning is
 * another such number, the command is ambiguous. If there is none, the longest beginning of a possible length counts.
 * Between quotation marks of any kind, all that they hold is the number. The text is what follows the number and the
 * white space behind it.
 */
export function readSend(words: string, defaultCountry?: Country): ReadSend {
  const typed = words.replace(/^[\s\p{Cf}]+/u, '');
  if (typed === '') return { kind: 'empty' };
  const quoted = QUOTED.exec(typed);
  return quoted
    ? readQuoted(quoted[1] ?? '', behind(typed, quoted[0].length), defaultCountry)
    : readUnquoted(typed, defaultCountry);
}

function readQuoted(quoted: string, text: string, defaultCountry: Country | undefined): ReadSend {
  const given = { number: quoted.trim(), text };
  const number = readNumber(quoted, defaultCountry);
  if (number.kind === 'number') return withText(number, given);
  if (number.kind === 'ambiguous') {
    const readings = number.readings.map((reading) => ({ number: reading, text }));
    return { kind: 'ambiguous', readings, given };
  }
  const problem = number.code === 'letters' && !/\p{Nd}/u.test(quoted) ? NO_NUMBER : number;
  return { kind: 'problem', field: 'number', problem, given };
}

function readUnquoted(typed: string, defaultCountry: Country | undefined): ReadSend {
  const found = leadingNumbers(typed, defaultCountry);
  const [first, ...others] = found;
  if (!first) return withoutNumber(typed, defaultCountry);

  const given = { number: typed.slice(0, first.end), text: behind(typed, first.end) };
  if (others.length > 0) {
    const readings = found.map(({ number, end }) => ({ number, text: behind(typed, end) }));
    return { kind: 'ambiguous', readings, given };
  }
  const stray = EXTENSION_BEHIND.test(given.text)
    ? numberProblem('extension')
    : beginsWithNumber(given.text) && numberProblem('several_numbers');
  return stray ? { kind: 'problem', field: 'number', problem: stray, given } : withText(first.number, given);
}

function withText(number: ReadNumber, given: GivenSend): ReadSend {
  const message = readMessage(given.text);
  if (message.kind === 'text') return { kind: 'send', number, text: message.text, given };
  return message.code === 'empty'
    ? { kind: 'no_text', number, given }
    : { kind: 'problem', field: 'text', problem: message, number, given };
}

/** Says what keeps the beginning from being a number, looking also at words such as `2671x5` that no number has. */
function withoutNumber(typed: string, defaultCountry: Country | undefined): ReadSend {
  const end = numberEnds(typed).at(-1) ?? 0;
  const [behindIt = ''] = DIGIT_WORDS.exec(typed.slice(end)) ?? [];
  const wideEnd = end + behindIt.length;
  const wide = readNumber(typed.slice(0, wideEnd), defaultCountry);
  const wideTells = wide.kind === 'problem' && /^(?:extension|several_numbers)$/.test(wide.code);
  const useWide = end === 0 || wideTells;
  const read = useWide ? wide : readNumber(typed.slice(0, end), defaultCountry);

  const refuse = (problem: NumberProblem | NoNumber, at: number): ReadSend => {
    const given = { number: typed.slice(0, at), text: behind(typed, at) };
    return { kind: 'problem', field: 'number', problem, given };
  };
  if (OPENED.test(typed)) return refuse(OPEN_QUOTE, 0);
  const [mended] = leadingNumbers(typed.replace(LOOKALIKE, digitLike), defaultCountry);
  if (mended) return refuse(numberProblem('letters'), mended.end);
  const isWord = end === 0 && !wideTells && !/^[+＋(0]|(?:\p{Nd}\P{Nd}*){5}/u.test(behindIt);
  const isList = numbersInText(typed, defaultCountry, 2).length > 1;
  const noNumber = isList ? numberProblem('several_numbers') : NO_NUMBER;
  return read.kind !== 'problem' || isWord ? refuse(noNumber, 0) : refuse(read, useWide ? wideEnd : end);
}

/** A second recipient is likelier than a text that begins with a full phone number and its plus. */
function beginsWithNumber(text: string): boolean {
  const rest = text.replace(SEPARATOR, '');
  return /^[+＋]/.test(rest) && leadingNumbers(rest).length > 0;
}

function digitLike(letter: string): string {
  return letter.toUpperCase() === 'O' ? '0' : '1';
}

function behind(typed: string, end: number): string {
  return typed.slice(end).trimStart();
}
