import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Records } from '../../records/records.ts';
import { type Link, linkKey, type PendingUnlink, pendingUnlinkKey } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';
import { eachInTurn } from '../each-in-turn.ts';
import { lowCreditState } from '../state-names.ts';
import type { Instances } from './instances.ts';
import { announceLinkChange } from './link-change.ts';
import { openJobsOf } from './open-jobs.ts';

/** `changed`: somebody else has removed the link meanwhile, or linked the channel again. Then the newer link stays. */
type Removed =
  | { kind: 'removed'; drafts: number }
  | { kind: 'jobs_running'; jobs: number }
  | { kind: 'changed' };

/** Whether both are the same link. Linking a channel again, or to another instance, makes a new link. */
function isSameLink(one: Link, other: Link): boolean {
  return one.linkedAt === other.linkedAt && one.instanceId === other.instanceId;
}

/** A bot tells the channel of a removed link, or puts the link back, within this time, in ms. After that, any bot tells. */
const TOLD_WITHIN_MS = 60_000;

type Untold = NonNullable<PendingUnlink['untold']>;

/** Removes links: at once, or when their jobs are done. */
export function createUnlinking(deps: {
  ledger: Pick<Ledger, 'openSends' | 'expireDrafts' | 'changeState' | 'endStates'>;
  records: Pick<Records, 'links' | 'pendingUnlinks' | 'inOneStep'>;
  instances: Pick<Instances, 'list' | 'get'>;
  clock: Pick<Clock, 'wall'>;
  log: Logger;
}) {
  const { ledger, instances, clock, log } = deps;
  const { links, pendingUnlinks, inOneStep } = deps.records;

  async function jobsOf(link: Link) {
    const open = await openJobsOf({ ledger, instances }, link.team);
    return open.filter(({ channelId }) => channelId === link.channel);
  }

  /**
   * Removes the link, and tells its channel. It stays if somebody has made another one meanwhile, or if `mayGo` is false for
   * it as it is now. The same step notes that its channel must hear of it.
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
    const untold = { by, instanceId, at: Math.round(clock.wall()), linkedAt };
    const found = await inOneStep(async (step) => {
      const now = await step.get(links, address);
      if (!now || !isSameLink(now, link) || !mayGo(now)) return undefined;
      step.delete(links, address);
      step.set(pendingUnlinks, pendingUnlinkKey(link), { team, channel, untold });
      return now;
    });
    // Whoever has removed it tells its channel.
    if (!found) return { kind: 'changed' };
    // Somebody may have confirmed a job in between. A job needs its channel's link, so put it back. After the drafts have
    // expired, nobody can confirm another one.
    const drafts = await ledger.expireDrafts(team, channel, { why: 'unlinked' });
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
    await tell({ team, channel }, untold);
    return { kind: 'removed', drafts };
  }

  /** Tells the channel of its removed link: once, however many bots do so. */
  async function tell({ team, channel }: PendingUnlink, untold: Untold): Promise<void> {
    const { by, instanceId, at, linkedAt } = untold;
    const instanceName = (await instances.get(team, instanceId))?.name ?? '';
    const change = { team, channel, by, instanceName, linked: false };
    await announceLinkChange({ ledger, log }, change, `${team}/${channel}/${linkedAt ?? at}`);
    if (linkedAt !== undefined) await ledger.endStates([lowCreditState({ team, channel, linkedAt })]);
    await pendingUnlinks.delete(pendingUnlinkKey({ team, channel, linkedAt }));
  }

  /** The bot that removed the link died before the end, so this bot finishes the work. */
  async function finish(at: PendingUnlink, untold: Untold): Promise<void> {
    // Somebody may have set the clock back.
    if (Math.abs(clock.wall() - untold.at) < TOLD_WITHIN_MS) return;
    if (!(await links.get(linkKey(at)))) await ledger.expireDrafts(at.team, at.channel, { why: 'unlinked' });
    await tell(at, untold);
  }

  async function removeIfDone({ untold, ...at }: PendingUnlink): Promise<void> {
    if (untold) return finish(at, untold);
    const address = linkKey(at);
    const link = await inOneStep(async (step) => {
      const now = await step.get(links, address);
      if (!now?.leaving) step.delete(pendingUnlinks, address);
      return now;
    });
    if (!link?.leaving) return;
    await remove(link, link.leaving.by, ({ leaving }) => leaving !== undefined);
  }

  return {
    /**
     * Removes the link, unless jobs run, and tells its channel. Its open drafts expire. The key stays with the instance. If
     * this process dies before it tells the channel, another bot does so after a minute.
     */
    remove: (link: Link, by: string) => remove(link, by),
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
    /** Removes marked links whose jobs are done. Tells the channels of links whose remover has died. */
    async removeDone(): Promise<void> {
      await eachInTurn(await pendingUnlinks.list(), removeIfDone, 'some links could not be removed');
    },
  };
}
