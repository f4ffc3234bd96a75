import type { Ledger } from '../../ledger/ledger.ts';
import type { Records } from '../../records/records.ts';
import { type Link, linkKey, type PendingUnlink, pendingUnlinkKey } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';
import { eachInTurn } from '../each-in-turn.ts';
import type { Instances } from './instances.ts';
import { openJobsOf } from './open-jobs.ts';

/** `linked_again`: somebody has linked the channel again meanwhile, and that link stays; or somebody else removed it. */
type Removed =
  | { kind: 'removed'; drafts: number }
  | { kind: 'jobs_running'; jobs: number }
  | { kind: 'linked_again' };

/** Whether both are the same link. Linking a channel again, or to another instance, makes a new link. */
function isSameLink(one: Link, other: Link): boolean {
  return one.linkedAt === other.linkedAt && one.instanceId === other.instanceId;
}

/** The bot that removes a link tells its channel within this time, in ms. Later, any bot does. */
const TOLD_WITHIN_MS = 60_000;

/** Tells the channel of a removed link. */
type Tell = (link: Pick<Link, 'team' | 'channel' | 'instanceId'>, by: string) => Promise<void>;

/** Removes links: at once, or when their jobs are done. */
export function createUnlinking(deps: {
  ledger: Pick<Ledger, 'openSends' | 'expireDrafts'>;
  records: Pick<Records, 'links' | 'pendingUnlinks' | 'inOneStep'>;
  instances: Pick<Instances, 'list'>;
  clock: Pick<Clock, 'wall'>;
}) {
  const { ledger, instances, clock } = deps;
  const { links, pendingUnlinks, inOneStep } = deps.records;

  async function jobsOf(link: Link) {
    const open = await openJobsOf({ ledger, instances }, link.team);
    return open.filter(({ channelId }) => channelId === link.channel);
  }

  /**
   * Removes the link. A link that somebody has made meanwhile stays, and so does a link for which `mayGo` is false now.
   * The same step notes that its channel must hear of it: `noteTold` ends that.
   */
  async function remove(
    link: Link,
    by: string,
    mayGo: (now: Link) => boolean = () => true,
  ): Promise<Removed> {
    const address = linkKey(link);
    const { team, channel, instanceId, linkedAt } = link;
    const jobs = await jobsOf(link);
    if (jobs.length > 0) return { kind: 'jobs_running', jobs: jobs.length };
    const found = await inOneStep(async (step) => {
      const now = await step.get(links, address);
      if (!now || !isSameLink(now, link) || !mayGo(now)) return undefined;
      const untold = { by, instanceId, at: Math.round(clock.wall()), linkedAt };
      step.delete(links, address);
      step.set(pendingUnlinks, pendingUnlinkKey(link), { team, channel, untold });
      return now;
    });
    // If another click or bot removed the link, that one tells its channel.
    if (!found) return { kind: 'linked_again' };
    // Somebody may have confirmed a job in between. A job needs its channel's link, so put it back. After the drafts have
    // expired, nobody can confirm another one.
    const drafts = await ledger.expireDrafts(team, channel);
    const begun = await jobsOf(link);
    if (begun.length > 0) {
      await inOneStep(async (step) => {
        step.delete(pendingUnlinks, pendingUnlinkKey(link));
        // Somebody may have linked the channel again.
        if (await step.get(links, address)) return;
        step.set(links, address, found);
        if (found.leaving) step.set(pendingUnlinks, address, { team, channel });
      });
      return { kind: 'jobs_running', jobs: begun.length };
    }
    return { kind: 'removed', drafts };
  }

  /** The channel of a removed link has heard of it. */
  async function noteTold(link: Pick<Link, 'team' | 'channel' | 'linkedAt'>): Promise<void> {
    await pendingUnlinks.delete(pendingUnlinkKey(link));
  }

  /** The bot that removed the link died before the end, so this bot finishes the work. */
  async function finish(
    { team, channel }: PendingUnlink,
    untold: NonNullable<PendingUnlink['untold']>,
    tell: Tell,
  ): Promise<void> {
    // Somebody may have set the clock back.
    if (Math.abs(clock.wall() - untold.at) < TOLD_WITHIN_MS) return;
    const noted = pendingUnlinkKey({ team, channel, linkedAt: untold.linkedAt });
    const isOwn = await inOneStep(async (step) => {
      if ((await step.get(pendingUnlinks, noted))?.untold?.at !== untold.at) return false;
      // Another bot may want to tell at the same moment: it has to wait as long again.
      const at = Math.round(clock.wall());
      step.set(pendingUnlinks, noted, { team, channel, untold: { ...untold, at } });
      return true;
    });
    if (!isOwn) return;
    if (!(await links.get(linkKey({ team, channel })))) await ledger.expireDrafts(team, channel);
    await tell({ team, channel, instanceId: untold.instanceId }, untold.by);
    await pendingUnlinks.delete(noted);
  }

  async function removeIfDone({ untold, ...at }: PendingUnlink, tell: Tell): Promise<void> {
    if (untold) return finish(at, untold, tell);
    const address = linkKey(at);
    const link = await inOneStep(async (step) => {
      const now = await step.get(links, address);
      if (!now?.leaving) step.delete(pendingUnlinks, address);
      return now;
    });
    if (!link?.leaving) return;
    const { by } = link.leaving;
    if ((await remove(link, by, ({ leaving }) => leaving !== undefined)).kind !== 'removed') return;
    await tell(link, by);
    await noteTold(link);
  }

  return {
    /**
     * Removes the link, unless jobs run. Its open drafts expire. The key stays with the instance. The caller tells the
     * channel and then calls `noteTold`. If that does not happen within a minute, the next round tells.
     */
    remove: (link: Link, by: string) => remove(link, by),
    noteTold,
    /**
     * Marks the link to be removed once its jobs are done. Until then it takes no new jobs. False if the channel has no
     * link any more, or a newer one, which stays unmarked.
     */
    async removeWhenDone(link: Link, by: string): Promise<boolean> {
      const { team, channel } = link;
      return inOneStep(async (step) => {
        const now = await step.get(links, linkKey(link));
        if (!now || !isSameLink(now, link)) return false;
        step.set(links, linkKey(link), { ...now, leaving: { by } });
        step.set(pendingUnlinks, linkKey(link), { team, channel });
        return true;
      });
    },
    /** Removes marked links whose jobs are done, and calls `tell` for each; also for one that nobody has told of. */
    async removeDone(tell: Tell): Promise<void> {
      const marked = await pendingUnlinks.list();
      await eachInTurn(marked, (at) => removeIfDone(at, tell), 'some links could not be removed');
    },
  };
}
