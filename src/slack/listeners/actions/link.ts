import { mayAdminister } from '../../../core/permissions.ts';
import { announceLinkChange } from '../../link-change.ts';
import { openLinkForm, openSettingsForm } from '../../open-link-form.ts';
import { jobsRunning, linkKept, unlinkedMessage } from '../../ui/link-news.ts';
import { adminsOnly } from '../../ui/refusals.ts';
import { notLinkedFor } from '../../usable-link.ts';
import type { ClickHandler } from './action.ts';

/** **Link this channel**. */
export const clickLink: ClickHandler = async (deps, click) => {
  if (!mayAdminister(click.person)) return click.answer(adminsOnly('link'));
  await openLinkForm(deps, click);
};

/** **Settings**. */
export const clickSettings: ClickHandler = async (deps, click) => {
  if (!mayAdminister(click.person)) return click.answer(adminsOnly('settings'));
  const linked = await deps.core.links.find(click.person.team, click.channel);
  if (!linked) return click.answer(await notLinkedFor(deps, click.person));
  await openSettingsForm(deps, { ...click, linked });
};

/** **Unlink**, after the question. */
export const confirmUnlink: ClickHandler = async (deps, { person, channel, answer, replace }) => {
  if (!mayAdminister(person)) return answer(adminsOnly('unlink'));
  const linked = await deps.core.links.find(person.team, channel);
  if (!linked) return replace(await notLinkedFor(deps, person));
  const removed = await deps.core.links.remove(linked.link);
  if (removed.kind === 'jobs_running') return answer(jobsRunning(removed.jobs));
  await announceLinkChange(deps.core, {
    team: person.team,
    channel,
    by: person.id,
    instanceName: linked.instance.name,
    linked: false,
  });
  await replace(unlinkedMessage({ instanceName: linked.instance.name, drafts: removed.drafts }));
};

/** **Keep it**. */
export const keepLink: ClickHandler = async (_deps, { replace }) => {
  await replace(linkKept());
};
