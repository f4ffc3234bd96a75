import { LEAST_DAYS } from '../../core/history/keep-days.ts';
import { FIELDS } from '../ui/ids.ts';
import { keepDaysError } from '../ui/setup/keep-days.ts';
import { fieldOf, type ViewValues } from './view-values.ts';

/** The days that were typed, `most` where the field was left empty; `errors` by block, in words for the person. */
export function readKeepDays(
  values: ViewValues,
  most: number,
): { days: number; errors: { [block: string]: string } } {
  const typed = fieldOf(values, FIELDS.keepDays)?.value?.trim() ?? '';
  const days = typed === '' ? most : Number(typed);
  const isRight = /^\d*$/.test(typed) && days >= LEAST_DAYS && days <= most;
  return { days, errors: isRight ? {} : { [FIELDS.keepDays]: keepDaysError(most) } };
}
