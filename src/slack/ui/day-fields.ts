import type { InputBlock } from '@slack/types';
import { plain } from './blocks.ts';
import { FIELDS } from './ids.ts';
import { type FieldElement, field } from './modal.ts';

/** Fields for the first and the last day of a period. Days are `2026-11-22`; undefined: not chosen yet. */
export function dayFields(
  { from, to }: { from: string | undefined; to: string | undefined },
  { placeholder, optional, hints }: { placeholder: string; optional?: boolean; hints: DayHints },
): InputBlock[] {
  const picker = (initial: string | undefined): FieldElement => ({
    type: 'datepicker',
    placeholder: plain(placeholder),
    ...(initial !== undefined && { initial_date: initial }),
  });
  const options = (hint: string | undefined) => ({
    ...(optional && { optional }),
    ...(hint !== undefined && { hint }),
  });
  return [
    field(FIELDS.fromDay, 'From', picker(from), options(hints.from)),
    field(FIELDS.toDay, 'To', picker(to), options(hints.to)),
  ];
}

interface DayHints {
  from?: string;
  to?: string;
}

/** The error at the field of the last day. */
export const DAYS_REVERSED = 'This day is before the first one.';
