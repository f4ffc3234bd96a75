import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import type { Handler } from '../../requests/slack-request.ts';
import type { Message } from '../../ui/blocks.ts';
import * as news from '../../ui/setup/link-news.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { forAdmins, type LinkRequest, ofLink } from '../guards.ts';

/** **Unlink**, after the question. If jobs have begun meanwhile, it asks about those. */
export const confirmUnlink = ofLinkToRemove(async (deps, { linked, ...click }) => {
  const removed = await deps.core.links.remove(linked.link, click.person.id);
  if (removed.kind === 'jobs_running')
    return click.replace(await askToUnlink(deps, linked, { busy: removed.jobs }));
  if (removed.kind === 'changed') return askOnceMore(deps, click);
  await click.replace(news.unlinkedMessage(linked.instance.name, removed));
});

/** **Stop 2 jobs and unlink**: at once, or as soon as all requests on their way have answers. */
export const stopAndUnlink = ofLinkToRemove(async (deps, { linked, ...click }) => {
  const { core } = deps;
  const { person } = click;
  const { newestJob } = news.readUnlinkValue(click.value);
  const open = await core.jobs.open(click.channel);
  // The person agreed to stop the jobs that the question counted.
  if (open.some(({ decidedAt = 0 }) => decidedAt > newestJob))
    return click.replace(await askToUnlink(deps, linked, { notice: news.JOB_BEGAN }));
  let stopped = 0;
  for (const job of open) {
    if ((await core.jobs.stop(job.id, person)).kind === 'done') stopped += 1;
  }
  const { name } = linked.instance;
  const removed = await core.links.remove(linked.link, person.id);
  if (removed.kind === 'removed')
    return click.replace(news.unlinkedMessage(name, { drafts: removed.drafts, stopped }));
  if (removed.kind === 'changed') return askOnceMore(deps, click);
  if (!(await core.links.removeWhenDone(linked.link, person.id))) return askOnceMore(deps, click);
  await click.replace(news.unlinkingMessage(name, stopped));
});

/** **Unlink when they are done**: until then no new job begins here. */
export const unlinkWhenDone = ofLinkToRemove(async (deps, { linked, ...click }) => {
  if (!(await deps.core.links.removeWhenDone(linked.link, click.person.id))) return askOnceMore(deps, click);
  await click.replace(news.unlinkingMessage(linked.instance.name));
});

/** Removes the link, for admins as of now. If the channel does not have the link that the question named, asks again. */
function ofLinkToRemove(remove: Handler<Click & LinkRequest>): ClickHandler {
  const asked = forAdmins('unlink', async (deps, click: Click) => {
    const linked = await deps.core.links.find(click.channel);
    if (linked?.link.linkedAt !== news.readUnlinkValue(click.value).linkedAt) return askOnceMore(deps, click);
    await remove(deps, { ...click, linked });
  });
  return async (deps, click) => asked(deps, { ...click, person: await deps.access.again(click.person) });
}

/** The question was about another link. Asks about the link that the channel has now, if any. */
async function askOnceMore(deps: SlackDeps, { person, channel, answer, replace }: Click): Promise<void> {
  const linked = await deps.core.links.find(channel);
  // After a second press, the message says already what the first one did.
  if (!linked) return answer(await deps.rights.notLinkedFor(person, channel));
  await replace(await askToUnlink(deps, linked, { notice: news.LINKED_AGAIN }));
}

/** **Keep it**: says what is true now. Somebody may have unlinked the channel since the question. */
export const keepLink: ClickHandler = async ({ core, rights }, { person, channel, answer, replace }) => {
  const linked = await core.links.find(channel);
  if (!linked) return answer(await rights.notLinkedFor(person, channel));
  await replace(linked.link.leaving ? news.unlinkingMessage(linked.instance.name) : news.LINK_KEPT);
};

/** `/sms unlink`: asks first; the button decides. */
export const unlink = ofLink(async (deps, { linked, answer }) => answer(await askToUnlink(deps, linked)));

/** Asks whether to unlink, and what about jobs. `notice`: why it asks again. `busy`: how many jobs keep the link. */
async function askToUnlink(
  { core }: Pick<SlackDeps, 'core'>,
  { link, instance }: LinkedView,
  { notice, busy }: { notice?: string; busy?: number } = {},
): Promise<Message> {
  const open = await core.jobs.open(link.channel);
  const { channel, linkedAt } = link;
  const newestJob = Math.max(0, ...open.map(({ decidedAt = 0 }) => decidedAt));
  const jobs = busy ?? open.length;
  return news.unlinkQuestion({ channel, instanceName: instance.name }, { linkedAt, newestJob, jobs, notice });
}
