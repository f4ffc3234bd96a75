import type { ViewStateValue } from '@slack/bolt';

/** What a submitted view holds: docs.slack.dev/reference/views/view-object ("state"). */
export type ViewValues = { [block: string]: { [action: string]: ViewStateValue } };

/** The value of a field, whatever kind of element it is. */
export function fieldOf(values: ViewValues, block: string): ViewStateValue | undefined {
  return Object.values(values[block] ?? {})[0];
}
