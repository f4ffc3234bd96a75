import type { KnownBlock } from '@slack/types';
import { LEAST_DAYS } from '../../../core/history/keep-days.ts';
import { FIELDS } from '../ids.ts';
import { field } from '../modal.ts';
import { plural } from '../words.ts';

/** For how many days the whole workspace keeps texts. */
export function keepDaysField({ now, most }: { now: number; most: number }): KnownBlock {
  return field(
    FIELDS.keepDays,
    'Keep texts for (days)',
    {
      type: 'number_input',
      action_id: FIELDS.keepDays,
      is_decimal_allowed: false,
      min_value: String(LEAST_DAYS),
      max_value: String(most),
      initial_value: String(now),
    },
    {
      hint:
        'In all channels of this workspace. After that, words, numbers and lists are deleted. ' +
        `Empty: ${plural(most, 'day')}, the most that the operator allows.`,
      optional: true,
    },
  );
}

/** What is wrong at the field. */
export function keepDaysError(most: number): string {
  return `Write a whole number from ${LEAST_DAYS} to ${most}.`;
}
