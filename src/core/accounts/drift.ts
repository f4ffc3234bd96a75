import { z } from 'zod';
import type { AccountBooks } from '../../ledger/accounts/statement-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import { DAY_MS, dayOf } from '../../ledger/model/days.ts';
import { TOPICS } from '../topics.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instances } from './instances.ts';
import type { Links } from './links.ts';
import type { Refusals } from './list-refusals.ts';
import { whoToTell } from './who-to-tell.ts';

/** Admins hear of more than this share of the balance, or of more than this many credits. */
const DRIFT_SHARE = 0.05;
const DRIFT_CREDITS = 50;

/** Credits that others used within a day, between two moments (ms), and the credits that are left by the books. */
const Drift = z.object({ credits: z.number(), from: z.number(), to: z.number(), left: z.number() });
type Drift = z.infer<typeof Drift>;

/** To one person: somebody else uses an account's credits. */
export const DriftNotice = Drift.extend({
  team: z.string(),
  user: z.string(),
  instance: z.string(),
  instanceName: z.string(),
});
export type DriftNotice = z.infer<typeof DriftNotice>;

/** What others used in the day before `now`; undefined if it is too little to tell. */
export function driftOf({ days, closing }: AccountBooks, now: number): Drift | undefined {
  const used = days
    .flatMap(({ differences }) => differences)
    .filter(({ kind, to }) => kind === 'elsewhere' && to > now - DAY_MS);
  const credits = used.reduce((sum, one) => sum - one.credits, 0);
  const isMuch = credits > DRIFT_CREDITS || credits > DRIFT_SHARE * (closing + credits);
  // A balance below zero makes the share negative, so any figure would be above it.
  if (credits <= 0 || !isMuch) return undefined;
  const from = Math.min(...used.map((one) => one.from));
  const to = Math.max(...used.map((one) => one.to));
  return { credits, from, to, left: closing };
}

const Told = z.object({ until: z.number() });

export type DriftWatch = ReturnType<typeof createDriftWatch>;

/** Tells admins when somebody else uses an account's credits: once, until nobody has for a day. */
export function createDriftWatch(deps: {
  ledger: Ledger;
  instances: Pick<Instances, 'ofAccount'>;
  links: Pick<Links, 'ofInstance'>;
  refusals: Pick<Refusals, 'isShared'>;
  admins: readonly string[];
}) {
  const { ledger, instances, refusals } = deps;
  /** Accounts that this process has checked. Another process may have died before it told anybody. */
  const seen = new Set<string>();

  async function find(accountId: string): Promise<Drift | undefined> {
    const now = ledger.now();
    const books = await ledger.accountBooks(accountId, { from: dayOf(now) - 1, to: dayOf(now) });
    return books && driftOf(books, now);
  }

  /** A row for each person to tell, but not of workspaces whose admins said that others use their keys. */
  async function announcementsOf(accountId: string, drift: Drift, count: number): Promise<Announcement[]> {
    const teams = Map.groupBy(await instances.ofAccount(accountId), ({ team }) => team);
    const rows = [...teams].map(async ([team, all]) => {
      const [first] = all;
      if (!first || (await isShared(all))) return [];
      const people = await Promise.all(all.map((instance) => whoToTell(deps, instance)));
      const { id: instance, name: instanceName } = first;
      return [...new Set(people.flatMap((some) => [...some]))].map((user) => ({
        id: `${TOPICS.drift}:${accountId}:${count}:${team}:${user}`,
        topic: TOPICS.drift,
        subject: instance,
        details: { team, user, instance, instanceName, ...drift } satisfies DriftNotice,
      }));
    });
    return (await Promise.all(rows)).flat();
  }

  async function isShared(all: InstanceView[]): Promise<boolean> {
    const words = await Promise.all(all.map((instance) => refusals.isShared(instance)));
    return words.includes(true);
  }

  /** Tells of a new drift once. One that goes on is only noted. */
  async function tell(accountId: string, drift: Drift): Promise<void> {
    const name = `drift:${accountId}`;
    const before = await ledger.namedState(name);
    const { until = 0 } = before ? Told.parse(before.details) : {};
    const goesOn = before !== undefined && drift.from - until < DAY_MS;
    if (goesOn && drift.to <= until) return;
    const count = Number(before?.state ?? 0) + (goesOn ? 0 : 1);
    await ledger.changeState(name, {
      from: before?.state,
      to: String(count),
      details: { until: drift.to },
      announcements: goesOn ? [] : await announcementsOf(accountId, drift, count),
    });
  }

  return {
    /** What others used within a day. Undefined if it is too little to tell, or an admin said that others use the key. */
    async of(instance: InstanceView): Promise<Drift | undefined> {
      const all = await instances.ofAccount(instance.accountId);
      const own = all.filter(({ team }) => team === instance.team);
      return (await isShared(own)) ? undefined : find(instance.accountId);
    },

    /** Checks an account after its first balance read, and if `isNew`: the read found that others used credits. */
    async check(accountId: string, isNew: boolean): Promise<void> {
      if (!isNew && seen.has(accountId)) return;
      const drift = await find(accountId);
      if (drift) await tell(accountId, drift);
      seen.add(accountId);
    },
  };
}
