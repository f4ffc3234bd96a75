import { z } from 'zod';
import { HistoryCursor } from '../../../core/history/history-pages.ts';
import { HistoryFilter } from '../../../core/history/history-query.ts';

/** What a history's buttons remember: whose it is, what is looked for, where the page begins. Rights are asked again. */
export const HistoryState = z.object({
  /** The whole workspace, not one channel. */
  all: z.boolean().optional(),
  filter: HistoryFilter.optional(),
  cursor: HistoryCursor.optional(),
  /** Of the menu alone: another one empties it. */
  turn: z.boolean().optional(),
});
export type HistoryState = z.infer<typeof HistoryState>;

/** As a button's value. */
export function writeHistoryState(state: HistoryState): string {
  return JSON.stringify(state);
}

/** Reads a button's value, or the id of a menu's block; undefined if it is none of ours. */
export function readHistoryState(value: string): HistoryState | undefined {
  try {
    return HistoryState.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

const OF_ALL = 'all/';

/** The value of one row's details. */
export function writeRowValue(id: string, all = false): string {
  return all ? `${OF_ALL}${id}` : id;
}

/** The opposite. */
export function readRowValue(value: string): { id: string; all: boolean } {
  const all = value.startsWith(OF_ALL);
  return { id: all ? value.slice(OF_ALL.length) : value, all };
}
