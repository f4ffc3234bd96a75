import { isBlank } from '../texts/message-text.ts';
import type { ListColumns } from './columns.ts';
import { foldName } from './fold.ts';
import type { ListFault, ListInput, StrayBrace } from './list.ts';

/** `{optout}` is the workspace’s own text, not a column's. */
const OPT_OUT = 'optout';

/** `{name|there}` in a text. */
export interface Placeholder {
  name: string;
  /** Replaces an empty cell; may be empty itself. */
  fallback?: string;
  /** The index of its value among the values that we keep of a row. */
  value: number;
}

/** What each row's text is made of, in order, and which columns it takes. */
export interface TextPlan {
  parts: (string | Placeholder)[];
  columns: number[];
}

const TOKEN = /\{\{|\}\}|\{([^{}|\n]*)(?:\|([^{}]*))?\}|[{}]/g;
const DOUBLED = /\{\{([^{}|\n]+)(?:\|[^{}]*)?\}\}/y;

/** A template's plan. Without a template, the text of each row is its cell in the column of messages. */
export function planText(
  { template, optOutText }: Pick<ListInput, 'template' | 'optOutText'>,
  columns: ListColumns,
): TextPlan | ListFault {
  if (!isBlank(template)) return readTemplate(template, columns, optOutText);
  if (columns.message === undefined) return { code: 'no_message' };
  return { parts: [{ name: '', value: 0 }], columns: [columns.message] };
}

/**
 * Reads a template: `{name}` and `{name|there}` are filled in, `{{` and `}}` are a brace each. Any other brace is
 * refused: nobody wants it sent to a whole list. `{optout}` becomes `optOutText`.
 */
function readTemplate(text: string, columns: ListColumns, optOutText?: string): TextPlan | ListFault {
  const stray = (brace: StrayBrace, index: number): ListFault => {
    return { code: 'stray_brace', template: text, brace, index };
  };
  const parts: (string | Placeholder)[] = [];
  const used: number[] = [];
  const unknown = new Set<string>();
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { index } = match;
    const [token, typed, fallback] = match;
    if (index > from) parts.push(text.slice(from, index));
    from = index + token.length;
    if (token === '{{' || token === '}}') {
      if (isDoubled(text, index, columns)) return stray('doubled', index);
      parts.push(token.slice(1));
      continue;
    }
    if (typed === undefined) return stray(token === '{' ? 'unclosed' : 'unopened', index);
    const name = typed.trim();
    if (isBlank(name)) return stray('nameless', index);
    if (foldName(name) === OPT_OUT) {
      if (optOutText === undefined) return { code: 'no_opt_out_text' };
      parts.push(optOutText);
      continue;
    }
    const column = columns.find(name);
    if (column === undefined) {
      unknown.add(name);
      continue;
    }
    const positions = /^\d+$/.test(name) ? [] : columns.namesakes(column);
    if (positions.length > 0) return { code: 'same_names', name, positions };
    if (!used.includes(column)) used.push(column);
    parts.push({
      name,
      value: used.indexOf(column),
      ...(fallback !== undefined && { fallback: fallback.trim() }),
    });
  }
  if (from < text.length) parts.push(text.slice(from));
  if (unknown.size === 0) return { parts, columns: used };
  return { code: 'unknown_placeholder', names: [...unknown], columns: columns.names };
}

function isDoubled(text: string, index: number, columns: ListColumns): boolean {
  DOUBLED.lastIndex = index;
  const name = DOUBLED.exec(text)?.[1]?.trim();
  return name !== undefined && columns.find(name) !== undefined;
}

export function placeholdersOf({ parts }: TextPlan): Placeholder[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** The text, filled in with the values of a row, which begin at `from`. */
export function fill(parts: (string | Placeholder)[], values: readonly string[], from: number): string {
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : values[from + part.value] || (part.fallback ?? '');
  }
  return text;
}
