import { isBlank } from './cells.ts';
import type { ListColumns } from './columns.ts';

/** A text with the places that each row fills. */
export interface Template {
  parts: (string | Placeholder)[];
}

/** `{name|there}` in a text. */
export interface Placeholder {
  name: string;
  /** Stands in where the row's cell is empty; may be empty itself. */
  fallback?: string;
  /** Index of the value among those that are kept of a row. */
  value: number;
}

/** What each row's text is made of, and which columns it takes. */
export type TextPlan =
  | { kind: 'plan'; template: Template; columns: number[] }
  | { kind: 'unknown'; names: string[] };

const PLACEHOLDER = /\{\{([^{}|\n]+)(?:\|([^{}]*))?\}\}|\{([^{}|\n]+)(?:\|([^{}]*))?\}/g;

/**
 * Reads a template: `{name}`, `{name|there}`, and `{{name}}`, which people know from elsewhere. Braces around nothing,
 * and braces that are not closed, are text.
 */
export function readTemplate(text: string, columns: ListColumns): TextPlan {
  const parts: Template['parts'] = [];
  const used: number[] = [];
  const unknown = new Set<string>();
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const name = (match[1] ?? match[3] ?? '').trim();
    const fallback = (match[2] ?? match[4])?.trim();
    if (isBlank(name)) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    const column = columns.find(name);
    if (column === undefined) {
      unknown.add(name);
      continue;
    }
    if (!used.includes(column)) used.push(column);
    parts.push({ name, value: used.indexOf(column), ...(fallback !== undefined && { fallback }) });
  }
  if (from < text.length) parts.push(text.slice(from));
  if (unknown.size > 0) return { kind: 'unknown', names: [...unknown] };
  return { kind: 'plan', template: { parts }, columns: used };
}

/** A template that is one column's text as it stands. */
export function wholeCell(column: number): TextPlan & { kind: 'plan' } {
  return { kind: 'plan', template: { parts: [{ name: '', value: 0 }] }, columns: [column] };
}

/** The text with the values of a row, of which those at `from` and after are meant. */
export function fill({ parts }: Template, values: readonly string[], from: number): string {
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : values[from + part.value] || (part.fallback ?? '');
  }
  return text;
}
