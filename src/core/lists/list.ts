import { z } from 'zod';
import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import type { Country } from '../texts/phone.ts';
import type { ListHere, NothingToSend } from './row-pass.ts';
import type { RowWords } from './row-words.ts';

/** A list before and after its check. Rows count as in a spreadsheet: from 1, header and blank ones too. */

/** Where a list comes from. `name` is the file's, with its ending. */
export type ListSource = { kind: 'pasted'; text: string } | { kind: 'file'; name: string; bytes: Uint8Array };

/** Whether people pasted a list or handed over a file: that field shows its problems. */
export type SourceKind = ListSource['kind'];

export interface ListInput {
  source: ListSource;
  /** The text with its placeholders, as typed; empty when each row brings its own. */
  template: string;
  /** How numbers without a country code are read. */
  country?: Country;
  /** The column of the numbers, from 0, if a person has chosen it. */
  phoneColumn?: number;
  /** Longest text once filled in, in characters (code points). */
  mostCharacters: number;
  /** Messages in a chunk, 1 to 100. */
  chunkSize: number;
  /** What `{optout}` in the text becomes; missing if nobody set it. */
  optOutText?: string;
  /** The words for rows that get no message. */
  words: RowWords;
  /** Says which of some numbers (their digits) get no message. Called while the rest of the list is read. */
  leaveOut?: (phones: string[]) => Promise<string[]>;
}

/** Why a row gets no message. */
export const RowProblem = z.enum(['wrong_number', 'duplicate', 'empty_placeholder', 'too_long']);
export type RowProblem = z.infer<typeof RowProblem>;

/** A row that gets no message. `reason` is made from the list's `words` and may quote the row. */
export const WrongRow = z.object({ row: z.number(), problem: RowProblem, reason: z.string() });
export type WrongRow = z.infer<typeof WrongRow>;

/** A filled-in text, to be shown. */
export const Sample = z.object({ row: z.number(), e164: z.string(), text: z.string() });
export type Sample = z.infer<typeof Sample>;

/** All that a preview says of a checked list. The draft's details keep it. */
export const ListSummary = z.object({
  /** Rows below the header that hold anything. */
  rows: z.number(),
  /** How many will be sent, and how many rows fall in each class of problem. */
  toSend: z.number(),
  wrong: z.record(RowProblem, z.number()),
  /** The most messages first. The name is English, or the calling code if the country is not known. */
  countries: z.array(z.object({ name: z.string(), messages: z.number() })),
  /** Messages by their number of segments. */
  bySegments: z.record(z.string(), z.number()),
  /** How many texts go as UCS-2. */
  ucs2: z.number(),
  /** How many numbers are in no known range; absent if none is. People can text them all the same. */
  unlikely: z.number().optional(),
  samples: z.object({
    first: Sample,
    /** The one with the most segments. */
    dearest: Sample,
    /** A text with a fallback in it, if any has one. */
    fallback: Sample.optional(),
  }),
  /** At most 20 wrong rows; duplicates only if rows to correct leave room for them. */
  wrongRows: z.array(WrongRow),
});
export type ListSummary = z.infer<typeof ListSummary>;

/** How many segments each message has that will be sent. */
export function segmentsOf({ bySegments }: Pick<ListSummary, 'bySegments'>): number[] {
  return Object.entries(bySegments).flatMap(([each, messages]) =>
    new Array<number>(messages).fill(Number(each)),
  );
}

/** Why a brace is neither part of a placeholder nor typed twice. `doubled`: a column's name is in braces typed twice. */
export type StrayBrace = 'unclosed' | 'unopened' | 'nameless' | 'doubled';

/** What keeps a list from being used. `columns`: the names that there are. */
export type ListFault =
  | {
      code: 'empty' | 'not_text' | 'workbook' | 'too_large' | 'unreadable' | 'no_message' | 'no_opt_out_text';
    }
  /** Its letters show that it is in an encoding that we don't read. */
  | { code: 'foreign_letters' }
  /** A quotation mark in this row is not closed in its cell, or the cell holds a line that looks like a row. */
  | { code: 'open_quote'; row: number }
  | { code: 'no_phone_column'; columns: string[] }
  | { code: 'unknown_placeholder'; names: string[]; columns: string[] }
  /** Several columns have the name of a placeholder: at these positions, counted from 1. */
  | { code: 'same_names'; name: string; positions: number[] }
  /** `index`: where in the template, in UTF-16 units. */
  | { code: 'stray_brace'; template: string; brace: StrayBrace; index: number }
  /** Names of emoji that only this workspace has. */
  | { code: 'custom_emoji'; names: string[] };

/** The list as a whole can't be used: at which field, and why. */
export type ListProblem = { kind: 'problem'; field: 'recipients' | 'file' | 'message' } & ListFault;

/** Faults of the words, not of the list. */
const OF_MESSAGE: readonly ListFault['code'][] = [
  'no_message',
  'unknown_placeholder',
  'same_names',
  'stray_brace',
  'no_opt_out_text',
];

/** A fault of a list or of its template, at the field where people can mend it. */
export function problemAt(source: SourceKind, fault: ListFault): ListProblem {
  const fieldOfList = source === 'pasted' ? 'recipients' : 'file';
  return { kind: 'problem', field: OF_MESSAGE.includes(fault.code) ? 'message' : fieldOfList, ...fault };
}

/** Several columns may hold the numbers, or none surely does: the person picks. `sample` is the first filled cell. */
export interface ColumnQuestion {
  kind: 'which_column';
  columns: { index: number; name: string; sample: string }[];
}

/** A list that can be sent, at least in part. Call `close` when done with it, whatever happened. */
export interface SendableList extends Omit<ListHere, 'chunks' | 'leftOut'> {
  /** The messages that `leaveOut` took out. */
  leftOut: LedgerMessage[];
  /** The chunks in the list's order, a few at a time; each once. */
  chunks(): Iterable<LedgerMessage[][]> | AsyncIterable<LedgerMessage[][]>;
  close(): Promise<void>;
}

/** Why nothing of a list can be sent, or not yet. */
export type NotSendable = NothingToSend | ListProblem | ColumnQuestion;

/** The result of checking a list. */
export type ListAnswer = SendableList | NotSendable;
