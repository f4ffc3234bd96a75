import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { announceLinkChange } from '../../../core/accounts/link-change.ts';
import { limitsView, openLimitsForm, openLinkForm, openSettingsForm } from '../../forms/open-setup-forms.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import {
  LINK_KEPT,
  unlinkedMessage,
  unlinkingMessage,
  unlinkWithJobsQuestion,
} from '../../ui/setup/link-news.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { type Click, type ClickHandler, forAdmins, type ViewClickHandler } from './action.ts';

export const clickLink = forAdmins('link', openLinkForm);

/** **Link a channel**, where no channel is at hand: the form asks for it. */
export const linkSomeChannel = forAdmins('link', (deps, click) =>
  openLinkForm(deps, { ...click, channel: undefined }),
);

/** **Settings**, **Change threshold**. */
export const clickSettings = forAdmins('settings', ofLink(openSettingsForm));

export const clickLimits = forAdmins('limits', ofLink(openLimitsForm));

/** For the channel that the button names, else for the one where it was pressed. */
function ofLink(
  open: (deps: SlackDeps, request: Click & { linked: LinkedView }) => Promise<void>,
): ClickHandler {
  return async (deps, click) => {
    const channel = click.value || click.channel;
    const linked = await deps.core.links.find(channel);
    if (!linked) return click.answer(await notLinkedFor(deps, click.person));
    await open(deps, { ...click, channel, linked });
  };
}

/** **Limits**, on top of the settings. */
export const openLimitsOverSettings: ViewClickHandler = async (deps, { triggerId, person, metadata }) => {
  const { channel = '', to } = metadata;
  const linked = await deps.core.links.find(channel);
  if (!linked) return;
  const view = await limitsView(deps, { channel, linked, person, to });
  await deps.web.views.push({ trigger_id: triggerId, view });
};

/** **Unlink**, after the question. If jobs have begun meanwhile, it asks about those. */
export const confirmUnlink = ofLinkToRemove(async (deps, { linked, ...click }) => {
  const instanceName = linked.instance.name;
  const removed = await deps.core.links.remove(linked.link);
  if (removed.kind === 'jobs_running') {
    return click.replace(
      unlinkWithJobsQuestion({ instanceName, channel: click.channel, jobs: removed.jobs }),
    );
  }
  await unlinked(deps, click, linked, { drafts: removed.drafts, stopped: 0 });
});

/** **Stop 2 jobs and unlink**: the link goes at once, or once all requests on their way have answers. */
export const stopAndUnlink = ofLinkToRemove(async (deps, { linked, ...click }) => {
  const { core } = deps;
  const { person } = click;
  let stopped = 0;
  for (const job of await core.jobs.open(click.channel)) {
    if ((await core.jobs.stop(job.id, person)).kind === 'done') stopped += 1;
  }
  const removed = await core.links.remove(linked.link);
  if (removed.kind === 'removed') return unlinked(deps, click, linked, { drafts: removed.drafts, stopped });
  await core.links.removeWhenDone(linked.link, person.id);
  await click.replace(unlinkingMessage({ instanceName: linked.instance.name, stopped }));
});

/** **Unlink when they are done**: until then no new job begins here. */
export const unlinkWhenDone = ofLinkToRemove(async ({ core }, { linked, person, replace }) => {
  await core.links.removeWhenDone(linked.link, person.id);
  await replace(unlinkingMessage({ instanceName: linked.instance.name, stopped: 0 }));
});

/** For the link that an admin wants to remove. Admins who come too late read that it is gone. */
function ofLinkToRemove(
  remove: (deps: SlackDeps, click: Click & { linked: LinkedView }) => Promise<void>,
): ClickHandler {
  return forAdmins('unlink', async (deps, click) => {
    const linked = await deps.core.links.find(click.channel);
    if (!linked) return click.replace(await notLinkedFor(deps, click.person));
    await remove(deps, { ...click, linked });
  });
}

async function unlinked(
  { core: { announce }, log }: SlackDeps,
  { person, channel, replace }: Click,
  { instance }: LinkedView,
  { drafts, stopped }: { drafts: number; stopped: number },
): Promise<void> {
  const { name: instanceName } = instance;
  const change = { team: person.team, channel, by: person.id, instanceName, linked: false };
  await announceLinkChange({ announce, log }, change);
  await replace(unlinkedMessage({ instanceName, drafts, stopped }));
}

export const keepLink: ClickHandler = async (_deps, { replace }) => {
  await replace(LINK_KEPT);
};
