import type { ViewStateValue } from '@slack/bolt';

/** What a submitted view holds: docs.slack.dev/reference/views/view-object ("state"). */
export type ViewValues = { [block: string]: { [action: string]: ViewStateValue } };

/** What is wrong with what was submitted: sentences by block, plain text for their fields. */
export type FieldErrors = { [block: string]: string };

/** The value of a field, whatever kind of element it is. */
export function fieldOf(values: ViewValues, block: string): ViewStateValue | undefined {
  return Object.values(values[block] ?? {})[0];
}

/** What was typed into a text field, without white space at its ends; empty if there is none. */
export function typedIn(values: ViewValues, block: string): string {
  return fieldOf(values, block)?.value?.trim() ?? '';
}

/** The value of what was chosen in a menu or among options. */
export function chosenIn(values: ViewValues, block: string): string | undefined {
  return fieldOf(values, block)?.selected_option?.value;
}

/** The same as one of these values; undefined if it is none of them. */
export function chosenOf<Value extends string>(
  values: ViewValues,
  block: string,
  allowed: readonly Value[],
): Value | undefined {
  const chosen = chosenIn(values, block);
  return allowed.find((each) => each === chosen);
}
