import type { Logger } from 'pino';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Records } from '../../records/records.ts';
import { instanceKey, type Link, linkKey, Link as StoredLink } from '../../records/schema.ts';
import type { Step } from '../../records/step.ts';
import type { Clock } from '../clock.ts';
import { createShortMemory } from '../short-cache.ts';
import { lowCreditState } from '../state-names.ts';
import { type Country, isCountry } from '../texts/phone.ts';
import type { SpendingLimits } from './channel-limits.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instance, Instances } from './instances.ts';
import { announceLinkChange, type LinkChange } from './link-change.ts';
import { createUnlinking } from './unlinking.ts';

export type { Link } from '../../records/schema.ts';

/** A channel's own settings, as the link and settings forms show them. */
export const LinkSettings = z.object(StoredLink.shape).pick({
  threshold: true,
  country: true,
  whoCanSend: true,
  people: true,
  guests: true,
  receiptLine: true,
  topUpUrl: true,
});
export type LinkSettings = z.infer<typeof LinkSettings>;

/** Every setting: `undefined` takes away what was set before. */
export type AllSettings = { [setting in keyof Required<LinkSettings>]: LinkSettings[setting] };

/** The link's default country, if its number plan is known. */
export function countryOf(link: { country?: string | undefined } | undefined): Country | undefined {
  return link?.country !== undefined && isCountry(link.country) ? link.country : undefined;
}

/** Whether a charge takes a known balance below the threshold. False if it is below already. All in credits. */
export function crossesThreshold(
  { threshold }: Pick<Link, 'threshold'>,
  balance: number | undefined,
  charge: number,
): boolean {
  return balance !== undefined && balance >= threshold && balance - charge < threshold;
}

/** The settings of a new link. */
export const DEFAULT_SETTINGS: LinkSettings = {
  threshold: 100,
  whoCanSend: 'everyone',
  people: [],
  guests: false,
  receiptLine: true,
};

/** How long the bot tries the same instance first, in ms. */
const GUESS_MS = 300_000;

/** A channel's link with its instance. */
export interface Linked {
  link: Link;
  instance: Instance;
}

/** Changes other records in the same step. Nothing is saved if it returns false. */
type AlsoInStep = (step: Step) => Promise<boolean>;

export type Links = ReturnType<typeof createLinks>;

/** Channel → instance, with the channel's settings. */
export function createLinks(deps: {
  ledger: Ledger;
  records: Pick<Records, 'instances' | 'links' | 'pendingUnlinks' | 'inOneStep'>;
  instances: Instances;
  clock: Clock;
  log: Logger;
}) {
  const { ledger, instances, clock, log } = deps;
  const { links, inOneStep } = deps.records;
  /** The instance that each link named last. With it, the bot reads link and instance in one trip. */
  const lastInstances = createShortMemory<string>(GUESS_MS, clock.steady);

  /** False if the channel is not linked any more, its link is not as the person saw it, or `also` is false. */
  function change(
    of: Link,
    isAsShown: (link: Link) => boolean,
    changed: (link: Link) => Link,
    also: AlsoInStep = async () => true,
  ): Promise<boolean> {
    return inOneStep(async (step) => {
      const link = await step.get(links, linkKey(of));
      if (!link || !isAsShown(link) || !(await also(step))) return false;
      step.set(links, linkKey(of), changed(link));
      return true;
    });
  }

  return {
    /** The channel's link together with its instance; undefined if there is none, or one of them is damaged. */
    async find(team: string, channel: string): Promise<Linked | undefined> {
      const key = linkKey({ team, channel });
      const guess = lastInstances.get(key);
      const [link, guessed] = await Promise.all([
        links.get(key),
        guess === undefined ? undefined : instances.get(team, guess),
      ]);
      if (!link) return undefined;
      const { instanceId } = link;
      const instance = instanceId === guess ? guessed : await instances.get(team, instanceId);
      lastInstances.set(key, instanceId);
      return instance && { link, instance };
    },
    /** Whether the channel's link or its instance is stored, but can't be read. Then `find` returns undefined. */
    async isDamaged(team: string, channel: string): Promise<boolean> {
      const { text, record } = await links.stored(linkKey({ team, channel }));
      return record ? instances.isDamaged(team, record.instanceId) : text !== undefined;
    },
    list: (team: string) => links.list(team),
    ofInstance: instances.linksTo,
    /**
     * Links the channel, or changes its settings or instance. Open drafts of another instance expire. A request to unlink
     * ends. Saves nothing and returns undefined if the instance is gone, or the link is not as the person saw it. People
     * see no link whose instance is damaged.
     */
    async save(input: {
      team: string;
      channel: string;
      instance: InstanceView;
      settings: LinkSettings;
      isAsShown: (link: Link | undefined) => boolean;
      by: string;
    }): Promise<Link | undefined> {
      const { team, channel, instance, settings, isAsShown, by } = input;
      const saved = await inOneStep(async (step) => {
        if (!(await step.get(deps.records.instances, instanceKey(instance)))) return undefined;
        const before = await step.get(links, linkKey({ team, channel }));
        const isShown =
          before && (await step.get(deps.records.instances, instanceKey({ team, id: before.instanceId })));
        if (!isAsShown(isShown && before)) return undefined;
        const isSame = before?.instanceId === instance.id;
        const link: Link = defined({
          ...settings,
          limits: before?.limits,
          team,
          channel,
          instanceId: instance.id,
          linkedBy: isSame ? before.linkedBy : by,
          linkedAt: isSame ? before.linkedAt : Math.round(clock.wall()),
        });
        step.set(links, linkKey(link), link);
        return { before, link };
      });
      if (!saved) return undefined;
      const { before, link } = saved;
      // Another account than the preview showed would pay for drafts of the old instance.
      if (before && before.instanceId !== instance.id) {
        await ledger.expireDrafts(team, channel, { why: 'other_payer' });
        await ledger.endStates([lowCreditState(before)]);
      }
      return link;
    },
    /** Changes only the channel's own settings. False: the link is gone, or not as the person saw it. */
    saveSettings: (of: Link, settings: AllSettings, isAsShown: (link: Link) => boolean): Promise<boolean> =>
      change(of, isAsShown, (link) => defined({ ...link, ...settings })),
    /** Changes only what the channel may spend, and what `also` changes: both or none. False as for `saveSettings`. */
    saveLimits: (
      of: Link,
      limits: SpendingLimits,
      isAsShown: (link: Link) => boolean,
      also: AlsoInStep,
    ): Promise<boolean> => change(of, isAsShown, (link) => ({ ...link, limits }), also),
    /** Tells the channel that it was linked: once for each `name`. */
    announceLinked: (change: Omit<LinkChange, 'linked'>, name: string): Promise<void> =>
      announceLinkChange({ ledger, log }, { ...change, linked: true }, name),
    ...createUnlinking(deps),
  };
}
