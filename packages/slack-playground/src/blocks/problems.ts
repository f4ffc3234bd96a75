import type { z } from 'zod';

/** A reason for Slack to refuse the blocks, and where in them. */
export interface Problem {
  message: string;
  path: (string | number)[];
}

type Issue = z.core.$ZodIssue;

function valueAt(root: unknown, path: PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

const article = (word: string) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

function sentence(issue: Issue, root: unknown): string {
  const value = valueAt(root, issue.path);
  const last = String(issue.path.at(-1) ?? '');
  if (value === undefined && issue.code !== 'custom') return `missing required field: ${last}`;
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'string') return `must be less than ${Number(issue.maximum) + 1} characters`;
      if (issue.origin === 'array') return `no more than ${issue.maximum} items allowed`;
      return `must be at most ${issue.maximum}`;
    case 'too_small':
      if (issue.origin === 'string') return `must be more than ${Number(issue.minimum) - 1} characters`;
      if (issue.origin === 'array') return `no fewer than ${issue.minimum} items allowed`;
      return `must be at least ${issue.minimum}`;
    case 'invalid_type':
      return `must provide ${article(issue.expected)}`;
    case 'unrecognized_keys':
      return `invalid additional property: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return last === 'type' ? `unsupported type: ${value}` : 'failed to match all allowed schemas';
    case 'invalid_value':
      return last === 'type' ? `unsupported type: ${value}` : `must be one of: ${issue.values.join(', ')}`;
    case 'custom':
      return issue.message;
    default:
      return 'must be a valid value';
  }
}

/** Zod's issues in Slack's words. `root` is the value that zod parsed. */
export function problemsOf(error: z.ZodError, root: unknown): Problem[] {
  return error.issues.map((issue) => {
    const missing = valueAt(root, issue.path) === undefined && issue.code !== 'custom';
    const path = (missing ? issue.path.slice(0, -1) : issue.path) as (string | number)[];
    return { message: sentence(issue, root), path };
  });
}

/** The problem as a line of `response_metadata.messages`, without the leading `[ERROR]`. */
export function inWords({ message, path }: Problem): string {
  return `${message} [json-pointer:${path.map((key) => `/${key}`).join('')}]`;
}
