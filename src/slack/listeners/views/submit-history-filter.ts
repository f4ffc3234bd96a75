import { countryOf } from '../../../core/accounts/links.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { canonicalTimeZone } from '../../../core/budgets/calendar.ts';
import { showHistory } from '../../answers/show-history.ts';
import { readMetadata } from '../../forms/form-metadata.ts';
import { readHistoryFilter } from '../../forms/read-history-filter.ts';
import { FILTERED } from '../../ui/reports/history-filter-form.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerInTime, type FormResult, type ViewHandler } from './submission.ts';

/** The history's filter: the page that it was opened from shows what it finds. */
export function submitHistoryFilter(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const { view } = args;
    const { to, channel = '', all = false } = readMetadata(view.private_metadata);

    async function work(person: Person): Promise<FormResult> {
      const linked = await deps.core.links.find(channel);
      const read = readHistoryFilter(view.state.values, {
        timeZone: canonicalTimeZone((await deps.access.timeZone(person.id)) ?? '') ?? 'UTC',
        country: linked && countryOf(linked.link),
      });
      if ('errors' in read) return read;
      const state = { ...(all && { all }), filter: read.filter };
      await showHistory(deps, { person, channel, to }, state, { replaces: true });
      return { closes: noticeView(TITLES.historyFilter, FILTERED) };
    }

    await answerInTime(deps, args, work, { title: TITLES.historyFilter });
  };
}
