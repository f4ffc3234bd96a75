import { defined } from '../../ledger/model/defined.ts';
import { isBlank } from '../texts/message-text.ts';
import type { Country } from '../texts/phone.ts';
import { clipped, shownIn } from './cells.ts';
import { foldName } from './fold.ts';
import type { ColumnQuestion, ListFault, SourceKind } from './list.ts';
import { holdsDigits, looksLikeNumber } from './number-like.ts';
import { isMessageHeader, isPhoneHeader } from './phone-headers.ts';

/** A row of a list, with its number in the spreadsheet. */
export interface Row {
  cells: string[];
  row: number;
}

export type ListColumns = ReturnType<typeof describeColumns>;

/** The most rows of titles above a header. */
const MOST_ABOVE = 5;
/** A spreadsheet has no more columns than this: we ignore the rest. */
const MOST_COLUMNS = 16_384;
/** The most characters of a name or a cell that we show when we ask for a column. */
const MOST_CHARACTERS = 60;

/** The first cells of our own lists of wrong rows, which come back corrected. */
export const OUR_HEADER = ['row', 'reason'] as const;

/**
 * Finds the column of the phone numbers in the first rows of a list (at least one row). If the first cell of the first row is
 * a number, that row is a recipient. Otherwise a row of known names is the header. In doubt we ask the person.
 */
export function findColumns(
  firstRows: Row[],
  { country, phoneColumn, source }: { country?: Country; phoneColumn?: number; source?: SourceKind },
): ListColumns | ColumnQuestion | ListFault {
  const above = rowsAbove(firstRows);
  const rows = firstRows.slice(above);
  const [first = { cells: [], row: 1 }, ...below] = rows;
  const width = Math.min(MOST_COLUMNS, Math.max(...rows.map(({ cells }) => cells.length)));
  const all = Array.from({ length: width }, (_, index) => index);
  const mostlyNumbers = (among: Row[]) => (column: number) => {
    const filled = among.map(({ cells }) => cells[column] ?? '').filter((cell) => !isBlank(cell));
    const alike = filled.filter((cell) => looksLikeNumber(cell, country)).length;
    return alike > 0 && alike * 2 >= filled.length;
  };
  const found = (phone: number, header?: string[]) =>
    describeColumns(rows, { width, phone, header, titles: above });
  const ask = (columns: number[], header?: string[]): ColumnQuestion => ({
    kind: 'which_column',
    columns: columns.map((index) => ({
      index,
      name: clipped(nameOf(header, index), MOST_CHARACTERS),
      sample: clipped(firstFilled(header ? below : rows, index), MOST_CHARACTERS),
    })),
  });

  if (phoneColumn !== undefined) {
    return holdsDigits(first.cells[phoneColumn]) ? found(phoneColumn) : found(phoneColumn, first.cells);
  }
  if (holdsDigits(first.cells[0])) {
    const areNumbers = mostlyNumbers(rows);
    const others = all.slice(1).filter(areNumbers);
    // Of a pasted list, each line with several numbers is refused.
    const isSure = others.length === 0 || (source === 'pasted' && areNumbers(0));
    return isSure ? found(0) : ask([0, ...others]);
  }
  const named = all.filter((index) => isPhoneHeader(first.cells[index] ?? ''));
  const header = named.length > 0 || !first.cells.some(holdsDigits) ? first.cells : undefined;
  const numbers = all.filter(mostlyNumbers(header ? below : rows));
  const [only, ...others] = named.filter((index) => numbers.includes(index));
  if (only !== undefined) return others.length === 0 ? found(only, header) : ask([only, ...others], header);
  const [name, ...names] = named;
  const isOnlyCandidate = names.length + numbers.length === 0 || below.length === 0;
  if (name !== undefined && isOnlyCandidate) return found(name, header);
  if (named.length + numbers.length > 0) {
    const [column = 0] = numbers;
    return width === 1 ? found(column, header) : ask([...named, ...numbers], header);
  }
  // Nothing looks like a column of phone numbers.
  return { code: 'no_phone_column', columns: namesOf(rows, width, header) };
}

const DATE_OR_TIME = /(?<![\d./-])\d{1,4}([./-])\d\d?\1\d{1,4}(?![\d./-])|\d\d?(?::\d\d)+/g;

/** How many rows are above the header: a title, a date. No recipient may be among them. */
function rowsAbove(rows: Row[]): number {
  const first = rows.slice(0, MOST_ABOVE + 1);
  const header = first.findIndex(({ cells }) => cells.some(isPhoneHeader));
  const holdsMore = (cell: string) => holdsDigits(cell.replace(DATE_OR_TIME, ''));
  const isBelowTitles = first.slice(0, header + 1).every(({ cells }) => !cells.some(holdsMore));
  return header > 0 && isBelowTitles ? header : 0;
}

/** What the columns of a list are. Indexes count from 0. `titles`: how many rows are above `rows`. */
function describeColumns(
  rows: Row[],
  asked: { width: number; phone: number; header: string[] | undefined; titles: number },
) {
  const { width, phone, header = [], titles } = asked;
  const nameAt = (index: number) => shownIn(header[index]).normalize();
  const exact = new Map<string, number>();
  const folded = new Map<string, number>();
  // In our list of wrong rows, our columns come first. People name and count only their own columns.
  const ours = OUR_HEADER.every((name, index) => header[index] === name) ? OUR_HEADER.length : 0;
  for (const index of [...header.keys()].sort((one, other) => Number(one < ours) - Number(other < ours))) {
    const name = nameAt(index);
    const fold = foldName(name);
    if (!isBlank(name) && !exact.has(name)) exact.set(name, index);
    if (fold !== '' && !folded.has(fold)) folded.set(fold, index);
  }
  const byPosition = (name: string) => {
    const index = /^\d{1,6}$/.test(name) ? Number(name) - 1 + ours : -1;
    return index >= 0 && index < width ? index : undefined;
  };
  const [, ...below] = rows;
  const valuesAt = (index: number) => below.map(({ cells }) => shownIn(cells[index])).join('\n');
  /** Positions, counted from 1, of all columns of the same name. Empty unless their values differ. */
  function namesakes(column: number): number[] {
    const alike = [...header.keys()].filter(
      (index) => index >= ours && nameAt(index) === nameAt(column) && !isBlank(valuesAt(index)),
    );
    return new Set(alike.map(valuesAt)).size > 1 ? alike.map((index) => index + 1 - ours) : [];
  }
  const message = header.findIndex((cell, index) => index !== phone && isMessageHeader(cell));
  return {
    /** How many of the first rows are no recipients: the header, and a title above it. */
    above: titles + (asked.header ? 1 : 0),
    phone,
    /** How many columns the first rows have. */
    width,
    /** Where a row's own cells begin: our list of wrong rows has cells of ours in front. */
    ours,
    /**
     * The names of the list's own columns: those that its header names, and `least` columns of the list. Columns without a
     * name get names that we understand if the file comes back.
     */
    ownHeader(least: number): string[] {
      const named = (index: number) => (index === phone ? 'phone' : String(index + 1 - ours));
      const length = asked.header ? Math.max(header.length, least) : width;
      return Array.from({ length }, (_, index) => header[index] ?? named(index)).slice(ours);
    },
    ...defined({
      /** The header's cells; absent if the first row is a recipient. */
      header: asked.header,
      /** The column of reasons, in our own list of wrong rows. */
      reason: ours > 0 ? OUR_HEADER.indexOf('reason') : undefined,
      /** The column of each row's own text. */
      message: message < 0 ? undefined : message,
    }),
    /** Names that a template may use; empty columns have none. */
    names: namesOf(rows, width, header),
    /** The column of that name; otherwise the column at that position, counted from 1. */
    find: (name: string): number | undefined =>
      exact.get(name.normalize()) ?? folded.get(foldName(name)) ?? byPosition(name),
    namesakes,
  };
}

function namesOf(rows: Row[], width: number, header: string[] | undefined): string[] {
  const all = Array.from({ length: width }, (_, index) => index);
  return all.filter((index) => firstFilled(rows, index) !== '').map((index) => nameOf(header, index));
}

function nameOf(header: string[] | undefined, index: number): string {
  const name = shownIn(header?.[index]).replace(/\s+/g, ' ');
  return isBlank(name) ? `{${index + 1}}` : name;
}

function firstFilled(rows: Row[], column: number): string {
  return shownIn(rows.find(({ cells }) => !isBlank(cells[column] ?? ''))?.cells[column]);
}
