import { REFUSAL_MODES, type RefusalMode } from '../../core/accounts/refusals.ts';
import { LEAST_DAYS } from '../../core/history/keep-days.ts';
import { FIELDS } from '../ui/ids.ts';
import { keepDaysError } from '../ui/setup/keep-days.ts';
import { chosenOf, type FieldErrors, fieldOf, typedIn, type ViewValues } from './view-values.ts';

/** What was chosen of the rule for refused lists, and whether others use the key. */
export function readRefusalFields(values: ViewValues): { refusals?: RefusalMode; shared: boolean } {
  const refusals = chosenOf(values, FIELDS.refusals, REFUSAL_MODES);
  const ticked = fieldOf(values, FIELDS.sharedKey)?.selected_options ?? [];
  return { ...(refusals && { refusals }), shared: ticked.length > 0 };
}

/** The days that were typed, `most` where the field was left empty; `errors` by block, in words for the person. */
export function readKeepDays(values: ViewValues, most: number): { days: number; errors: FieldErrors } {
  const typed = typedIn(values, FIELDS.keepDays);
  const days = typed === '' ? most : Number(typed);
  const isRight = /^\d*$/.test(typed) && days >= LEAST_DAYS && days <= most;
  return { days, errors: isRight ? {} : { [FIELDS.keepDays]: keepDaysError(most) } };
}
