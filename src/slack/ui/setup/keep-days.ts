import type { KnownBlock } from '@slack/types';
import { LEAST_DAYS } from '../../../core/history/keep-days.ts';
import { FIELDS } from '../ids.ts';
import { field, numberInput } from '../modal.ts';
import { plural } from '../words.ts';

/** For how many days the whole workspace keeps texts. */
export function keepDaysField({ now, most }: { now: number; most: number }): KnownBlock {
  return field(
    FIELDS.keepDays,
    'Keep texts for (days)',
    numberInput(FIELDS.keepDays, { now, least: LEAST_DAYS, most }),
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
