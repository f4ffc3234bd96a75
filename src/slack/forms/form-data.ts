import type { ViewStateValue } from '@slack/bolt';
import { z } from 'zod';
import { ARRIVALS } from '../../core/accounts/list-refusal-seen.ts';
import { REFUSAL_MODES } from '../../core/accounts/list-refusals.ts';
import { ReplyTo } from '../answers/replies.ts';
import { REQUEST_DECISIONS, WHO_MAY_OPT_OUT } from '../ui/ids.ts';

/** A form's memory between opening and submitting: ids and how to answer. Never a key, a number or a text. */
export const FormMetadata = z.object({
  /** The channel that the form is about; absent if the person chooses one. */
  channel: z.string().optional(),
  to: ReplyTo,
  /** A form about the history of the whole workspace, not of the channel. */
  all: z.boolean().optional(),
  replaces: z.string().optional(),
  request: z.string().optional(),
  /** The only decision about that request that the form offers. */
  decision: z.enum(REQUEST_DECISIONS).optional(),
  instance: z.string().optional(),
  /** The file that a list form uses again; its name is only shown. */
  file: z.object({ id: z.string(), name: z.string() }).optional(),
  /** The column of that file with the numbers, from 0, if the person has chosen it. */
  phoneColumn: z.number().optional(),
  /** How many checks of refused lists there were when the form was shown. */
  checks: z.number().optional(),
  /** What the admin said of the check's text. */
  arrived: z.enum(ARRIVALS).optional(),
  /** What the settings showed of the instance and the workspace: the bot saves only what somebody changes. */
  shown: z
    .object({ refusals: z.enum(REFUSAL_MODES), shared: z.boolean(), keepDays: z.number().optional() })
    .optional(),
  /** The workspace's rules as the limits form showed them. */
  rules: z
    .object({
      timeZone: z.string(),
      optOutText: z.string().optional(),
      whoMayOptOut: z.enum(WHO_MAY_OPT_OUT),
    })
    .optional(),
  /** Of the link or limits that the form showed: if somebody else has changed them meanwhile, the bot saves nothing. */
  digest: z.string().optional(),
  /** The accounts before and after, if the form asks about a change of who pays. */
  payerChange: z.object({ from: z.string(), to: z.string() }).optional(),
  /** When somebody opted out the number that the form opts in, ms since 1970: a newer opt-out stays. */
  optedOutAt: z.number().optional(),
  /** The people chosen before the form stopped asking for them: it may ask again. */
  people: z.array(z.string()).optional(),
});
export type FormMetadata = z.infer<typeof FormMetadata>;

/** Where the answer to a form goes: if the form was opened outside any conversation, to the chosen channel. */
export function answerTo(to: ReplyTo, channel: string): ReplyTo {
  return to.channel === '' ? { ...to, channel } : to;
}

/** The longest private_metadata that Slack takes, in characters: docs.slack.dev/reference/views/modal-views. */
const LONGEST = 3000;

/** Adds the chosen people, for a form that stops asking for them. If they are too many, it forgets them. */
export function withChosenPeople(metadata: FormMetadata, people: string[]): FormMetadata {
  const chosen = { ...metadata, people };
  return writeMetadata(chosen).length <= LONGEST ? chosen : { ...metadata, people: [] };
}

export function writeMetadata(metadata: FormMetadata): string {
  return JSON.stringify(metadata);
}

/** Reads a view's private_metadata. @throws when it is not what `writeMetadata` wrote */
export function readMetadata(text: string): FormMetadata {
  return FormMetadata.parse(JSON.parse(text));
}

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

/**
 * The whole number in a field: `1,000`, `1.000` and `1 000` are a thousand. NaN for anything else, such as `1.5`; undefined
 * if the field is empty.
 */
export function wholeNumberIn(values: ViewValues, block: string): number | undefined {
  const typed = typedIn(values, block);
  if (typed === '') return undefined;
  const isGrouped = /^\d{1,3}([\s,.'’])\d{3}(\1\d{3})*$/.test(typed);
  const digits = isGrouped ? typed.replaceAll(/\D/g, '') : typed;
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
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
