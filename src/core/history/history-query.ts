import { z } from 'zod';
import type { HistoryEntry } from '../../ledger/history/history.ts';
import { mayAdminister, type Person } from '../accounts/permissions.ts';
import { describeNumber, maskNumber } from '../texts/phone-format.ts';
import { HISTORY_OUTCOMES } from './history-outcomes.ts';

/** What somebody looks for. Moments are ms since 1970: `from` counts, `to` does not. */
export const HistoryFilter = z.object({
  by: z.string().optional(),
  /** The number that it went to. */
  e164: z.string().optional(),
  outcome: z.enum(HISTORY_OUTCOMES).optional(),
  from: z.number().int().optional(),
  to: z.number().int().optional(),
});
export type HistoryFilter = z.infer<typeof HistoryFilter>;

/** A query of a channel's history, or without one of the whole workspace's. `person` asks, and sees some numbers whole. */
export interface HistoryAsked {
  channel?: string | undefined;
  filter: HistoryFilter;
  person: Person;
}

/** The part of a query that the ledger answers. */
export function ledgerQuery({ channel, filter: { from, to }, person }: HistoryAsked) {
  return { team: person.team, channelId: channel, from, to };
}

/** Admins and the person who sent to a number see it whole; others see the last four digits. */
export function seesNumbers(person: Person, { decidedBy }: HistoryEntry['send']): boolean {
  return mayAdminister(person) || person.id === decidedBy;
}

/** A number as this person may see it; undefined if it was forgotten. */
export function shownNumber(digits: string | undefined, isWhole: boolean): string | undefined {
  if (digits === undefined || digits === '') return undefined;
  return isWhole ? describeNumber({ e164: `+${digits}` }) : maskNumber(`+${digits}`);
}
