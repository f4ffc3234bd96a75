import { z } from 'zod';
import { HistoryCursor } from '../../../core/history/history-pages.ts';
import { HistoryFilter } from '../../../core/history/history-query.ts';

/** The values of a history's buttons: whose history, its filter, and the first row of the page. We check rights again. */
export const HistoryState = z.object({
  /** The whole workspace, not one channel. */
  all: z.boolean().optional(),
  filter: HistoryFilter.optional(),
  cursor: HistoryCursor.optional(),
  /** Flipped at each choice in the menu of details: Slack empties a menu only if its block's id changes. */
  turn: z.boolean().optional(),
});
export type HistoryState = z.infer<typeof HistoryState>;

/** As a button's value. */
export function writeHistoryState(state: HistoryState): string {
  return JSON.stringify(state);
}

/** Reads a button's value, or the id of a menu's block; undefined if we did not write it. */
export function readHistoryState(value: string): HistoryState | undefined {
  try {
    return HistoryState.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

const OF_ALL = 'all/';

/** The value of a row's option in the menu of details. */
export function writeRowValue(id: string, all = false): string {
  return all ? `${OF_ALL}${id}` : id;
}

export function readRowValue(value: string): { id: string; all: boolean } {
  const all = value.startsWith(OF_ALL);
  return { id: all ? value.slice(OF_ALL.length) : value, all };
}
