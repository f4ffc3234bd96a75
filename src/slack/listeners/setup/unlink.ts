import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import type { Message } from '../../ui/blocks.ts';
import * as news from '../../ui/setup/link-news.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { forAdmins, type LinkRequest, ofLink } from '../guards.ts';

/** **Unlink**, after the question. If jobs have begun meanwhile, it asks about those. */
export const confirmUnlink = ofLinkToRemove(async (deps, { linked, person }) => {
  const removed = await deps.core.links.remove(linked.link, person.id);
  if (removed.kind === 'jobs_running') return askToUnlink(deps, linked, { busy: removed.jobs });
  return removed.kind === 'removed' && news.unlinkedMessage(linked.instance.name, removed);
});

/** **Stop 2 jobs and unlink**: at once, or as soon as all requests on their way have answers. */
export const stopAndUnlink = ofLinkToRemove(async (deps, { linked, person, channel, value }) => {
  const { jobs, links } = deps.core;
  const { newestJob } = news.readUnlinkValue(value);
  const open = await jobs.open(channel);
  // The person agreed to stop the jobs that the question counted.
  if (open.some(({ decidedAt = 0 }) => decidedAt > newestJob))
    return askToUnlink(deps, linked, { notice: news.JOB_BEGAN });
  let stopped = 0;
  for (const job of open) {
    if ((await jobs.stop(job.id, person)).kind === 'done') stopped += 1;
  }
  const { link, instance } = linked;
  const removed = await links.remove(link, person.id);
  if (removed.kind === 'removed') return news.unlinkedMessage(instance.name, { ...removed, stopped });
  const willBe = removed.kind === 'jobs_running' && (await links.removeWhenDone(link, person.id));
  return willBe && news.unlinkingMessage(instance.name, stopped);
});

/** **Unlink when they are done**: until then no new job begins here. */
export const unlinkWhenDone = ofLinkToRemove(async ({ core }, { linked: { link, instance }, person }) => {
  return (await core.links.removeWhenDone(link, person.id)) && news.unlinkingMessage(instance.name);
});

/**
 * Removes the link that the question named, for admins as of now. `remove` returns the answer, for the question's place;
 * false if the channel does not have that link any more. Then asks about the link that the channel has now, if any.
 */
function ofLinkToRemove(
  remove: (deps: SlackDeps, click: Click & LinkRequest) => Promise<Message | false>,
): ClickHandler {
  const asked = forAdmins('unlink', async (deps, click: Click) => {
    const { person, channel, value, answer, replace } = click;
    const linked = await deps.core.links.find(channel);
    const isNamed = linked?.link.linkedAt === news.readUnlinkValue(value).linkedAt;
    const done = isNamed && (await remove(deps, { ...click, linked }));
    if (done) return replace(done);
    const now = await deps.core.links.find(channel);
    // After a second press, the message says already what the first one did.
    if (!now) return answer(await deps.rights.notLinkedFor(person, channel));
    await replace(await askToUnlink(deps, now, { notice: news.LINKED_AGAIN }));
  });
  return async (deps, click) => asked(deps, { ...click, person: await deps.access.again(click.person) });
}

/** **Keep it**: says what is true now. Somebody may have unlinked the channel since the question. */
export const keepLink = ofLink((_deps, { linked: { link, instance }, replace }) =>
  replace(link.leaving ? news.unlinkingMessage(instance.name) : news.LINK_KEPT),
);

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
