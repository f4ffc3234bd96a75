import type { Ledger } from '../../ledger/ledger.ts';
import type { Records } from '../../records/records.ts';
import { type Link, linkKey } from '../../records/schema.ts';
import { eachInTurn } from '../each-in-turn.ts';
import type { Instances } from './instances.ts';
import { openJobsOf } from './open-jobs.ts';

/** `linked_again`: somebody has linked the channel again meanwhile, and that link stays. */
type Removed =
  | { kind: 'removed'; drafts: number }
  | { kind: 'jobs_running'; jobs: number }
  | { kind: 'linked_again' };

/** Whether both are the same link. Linking a channel again, or to another instance, makes a new link. */
function isSameLink(one: Link, other: Link): boolean {
  return one.linkedAt === other.linkedAt && one.instanceId === other.instanceId;
}

/** Removes links: at once, or when their jobs are done. */
export function createUnlinking(deps: {
  ledger: Pick<Ledger, 'openSends' | 'expireDrafts'>;
  records: Pick<Records, 'links' | 'pendingUnlinks' | 'inOneStep'>;
  instances: Pick<Instances, 'list'>;
}) {
  const { ledger, instances } = deps;
  const { links, pendingUnlinks, inOneStep } = deps.records;

  async function jobsOf(link: Link) {
    const open = await openJobsOf({ ledger, instances }, link.team);
    return open.filter(({ channelId }) => channelId === link.channel);
  }

  /** Removes the link. It stays if somebody has made another one meanwhile, or if `mayGo` is false for it as it is now. */
  async function remove(link: Link, mayGo: (now: Link) => boolean = () => true): Promise<Removed> {
    const address = linkKey(link);
    const jobs = await jobsOf(link);
    if (jobs.length > 0) return { kind: 'jobs_running', jobs: jobs.length };
    const { found, stays } = await inOneStep(async (step) => {
      const found = await step.get(links, address);
      const stays = found !== undefined && !(isSameLink(found, link) && mayGo(found));
      if (!stays) step.delete(links, address);
      return { found, stays };
    });
    if (stays) return { kind: 'linked_again' };
    // Somebody may have confirmed a job in between. A job needs its channel's link, so put it back.
    const begun = await jobsOf(link);
    if (begun.length > 0) {
      await inOneStep(async (step) => {
        // Somebody may have linked the channel again.
        if (found && !(await step.get(links, address))) step.set(links, address, found);
      });
      return { kind: 'jobs_running', jobs: begun.length };
    }
    return { kind: 'removed', drafts: await ledger.expireDrafts(link.team, link.channel) };
  }

  async function removeIfDone(
    address: string,
    tell: (link: Link, by: string) => Promise<void>,
  ): Promise<void> {
    const link = await links.get(address);
    // Another process may be about to mark the link.
    if (link && !link.leaving) return;
    if (link && (await remove(link, ({ leaving }) => leaving !== undefined)).kind !== 'removed') return;
    if (link?.leaving) await tell(link, link.leaving.by);
    // Somebody may have linked the channel again.
    if (!(await links.get(address))) await pendingUnlinks.delete(address);
  }

  return {
    /** Removes the link, unless jobs run. Its open drafts expire. The key stays with the instance. */
    remove: (link: Link) => remove(link),
    /** Marks the link to be removed once its jobs are done. Until then it takes no new jobs. Does not mark a newer link. */
    async removeWhenDone(link: Link, by: string): Promise<void> {
      const { team, channel } = link;
      // Write this before the mark: an entry without a marked link does no harm.
      await pendingUnlinks.set(linkKey({ team, channel }), { team, channel });
      await inOneStep(async (step) => {
        const now = await step.get(links, linkKey(link));
        if (now && isSameLink(now, link)) step.set(links, linkKey(link), { ...now, leaving: { by } });
      });
    },
    /** Removes marked links whose jobs are done, and calls `tell` for each. */
    async removeDone(tell: (link: Link, by: string) => Promise<void>): Promise<void> {
      const marked = await pendingUnlinks.list();
      await eachInTurn(marked, (at) => removeIfDone(linkKey(at), tell), 'some links could not be removed');
    },
  };
}
