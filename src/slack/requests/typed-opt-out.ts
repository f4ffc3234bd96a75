import { readSend } from '../../core/sends/typed-send.ts';
import type { Country, ReadNumber } from '../../core/texts/phone.ts';
import { numberSentence, whichNumber } from '../ui/texts/number-problems.ts';

/** The number that was typed, with the words behind it; or why there is none. */
export type TypedOptOut =
  | { kind: 'number'; number: ReadNumber; words: string }
  | { kind: 'problem'; sentence?: string };

/** Reads the words after `/sms optout` or `optin`, as after `/sms send`. */
export function readTypedOptOut(rest: string, country: Country | undefined): TypedOptOut {
  const read = readSend(rest, country);
  if (read.kind === 'empty') return { kind: 'problem' };
  if ('number' in read) return { kind: 'number', number: read.number, words: read.given.text.trim() };
  if (read.kind === 'ambiguous') {
    return { kind: 'problem', sentence: whichNumber(read.readings.map(({ number }) => number)) };
  }
  return { kind: 'problem', sentence: numberSentence(read.problem) };
}
