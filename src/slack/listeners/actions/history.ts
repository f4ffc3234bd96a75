import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { dateOf } from '../../../core/budgets/calendar.ts';
import { historyRefusal, showHistory } from '../../answers/show-history.ts';
import { exportHistory } from '../../files/export-history.ts';
import { writeMetadata } from '../../forms/form-metadata.ts';
import { openModal } from '../../forms/open-modal.ts';
import { HISTORY_GONE } from '../../ui/reports/history.ts';
import { detailsView, NO_DETAILS } from '../../ui/reports/history-details.ts';
import { EXPORT_BEGUN, EXPORT_UNDER_WAY } from '../../ui/reports/history-export.ts';
import { historyFilterForm } from '../../ui/reports/history-filter-form.ts';
import { readHistoryState, readRowValue } from '../../ui/reports/history-state.ts';
import { TITLES } from '../../ui/views.ts';
import type { ClickHandler } from './action.ts';

/** **Older**, **Newer**, **Remove filter**: another page in the place of this one. */
export const turnPage: ClickHandler = async (deps, click) => {
  const state = readHistoryState(click.value);
  if (!state) return click.answer(HISTORY_GONE);
  await showHistory(deps, click, state, { replaces: true });
};

/**
 * **Details of …**: all that is kept of a send. Slack tells of no second choice of the same row, so the page comes once
 * more, with its menu empty.
 */
export const openDetails: ClickHandler = async (deps, click) => {
  const { person, channel, value, block, triggerId } = click;
  let isShown = false;
  await openModal(deps, triggerId, TITLES.historyDetails, async () => {
    const { id, all } = readRowValue(value);
    const refusal = await historyRefusal(deps, person, { channel, all, isHere: false });
    if (refusal) return refusal.text;
    const found = await deps.core.history.details({ person, channel: all ? undefined : channel }, id);
    isShown = found !== undefined;
    return found ? detailsView(found) : HISTORY_GONE.text;
  });
  const state = isShown ? readHistoryState(block) : undefined;
  if (state) await showHistory(deps, click, { ...state, turn: !state.turn }, { replaces: true });
};

/** **Details**, **Why?** of a receipt, which may be in direct messages: the same, of its own channel. */
export const openSendDetails: ClickHandler = async (deps, { person, value, triggerId }) => {
  await openModal(deps, triggerId, TITLES.historyDetails, async () => {
    const view = await deps.core.sends.view(value);
    if (!view) return NO_DETAILS;
    const { channel } = view;
    const refusal = await historyRefusal(deps, person, { channel, all: false, isHere: false });
    if (refusal) return refusal.text;
    const found = await deps.core.history.details({ person, channel }, value);
    return found ? detailsView(found) : NO_DETAILS;
  });
};

/** **Filter**: what to look for; the form begins with what is looked for now. */
export const openFilter: ClickHandler = async (deps, { person, channel, value, triggerId, to, answer }) => {
  const state = readHistoryState(value);
  if (!state) return answer(HISTORY_GONE);
  const { all = false, filter: { by, e164, outcome, from, to: until } = {} } = state;
  await openModal(deps, triggerId, TITLES.historyFilter, async () => {
    const timeZone = await deps.access.timeZone(person.id);
    return historyFilterForm({
      by,
      number: e164,
      outcome,
      fromDay: from === undefined ? undefined : dateOf(from, timeZone),
      toDay: until === undefined ? undefined : dateOf(until - 1, timeZone),
      metadata: writeMetadata({ to, channel, all }),
    });
  });
};

/** People whose export is under way in this process. */
const exporting = new Set<string>();

/** **Export CSV**: everything that the filter finds, to the person's direct messages. */
export const clickExport: ClickHandler = async (deps, { person, channel, value, answer }) => {
  const state = readHistoryState(value);
  if (!state) return answer(HISTORY_GONE);
  const { all = false, filter = {} } = state;
  const refusal = await historyRefusal(deps, person, { channel, all, isHere: false });
  if (refusal) return answer(refusal);
  const who = `${person.team}/${person.id}`;
  if (exporting.has(who)) return answer(EXPORT_UNDER_WAY);
  exporting.add(who);
  try {
    await answer(EXPORT_BEGUN);
    const asked = { person, filter, channel: all ? undefined : channel };
    await exportHistory(deps, person, asked, async () => {
      const now = await deps.access.again(person);
      // Whether the file shows whole numbers was decided at the click.
      if (mayAdminister(person) && !mayAdminister(now)) return false;
      return (await historyRefusal(deps, now, { channel, all, isHere: false })) === undefined;
    });
  } finally {
    exporting.delete(who);
  }
};
