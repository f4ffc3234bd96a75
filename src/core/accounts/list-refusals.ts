import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Json } from '../../ledger/model/json.ts';
import { createShortMemory } from '../short-cache.ts';
import { instanceState } from '../state-names.ts';
import { TOPICS } from '../topics.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instances } from './instances.ts';
import type { Links } from './links.ts';
import { Finding } from './list-refusal-seen.ts';
import { whoToTell } from './who-to-tell.ts';

/**
 * How a provider refuses a bulk request ("POST /messages/send-bulk": not shown). `atomic`: it sends none of its messages.
 * `unproven`: it may send some of them.
 */
export const REFUSAL_MODES = ['unproven', 'atomic'] as const;
export type RefusalMode = (typeof REFUSAL_MODES)[number];

/** An instance's rule. `by` and `at` (ms since 1970) are absent while it is the configured default. */
export interface RefusalRule {
  mode: RefusalMode;
  /** Slack user id or OPERATOR; 'books' if the bot fell back, since more credits were gone than its receipts say. */
  by?: string;
  at?: number;
  /** The check on which the admin based it. */
  check?: Finding | undefined;
}

/** To one person: an instance is not `atomic` any more. */
export const RefusalNotice = z.object({
  team: z.string(),
  user: z.string(),
  instanceName: z.string(),
  /** Credits that are gone and that no receipt names. */
  missing: z.number(),
});
export type RefusalNotice = z.infer<typeof RefusalNotice>;

/** `by` of a fallback: no person set the rule. */
export const BOOKS = 'books';
const Said = z.object({ by: z.string(), check: Finding.optional() });

/** How long after its end a job may cause a late charge, in ms. At least one balance poll happens in this time. */
const WATCH_MS = 600_000;

export type Refusals = ReturnType<typeof createRefusals>;

/** How each instance's provider refuses bulk requests, and whether other programs use its key. */
export function createRefusals(deps: {
  ledger: Ledger;
  instances: Pick<Instances, 'ofAccount'>;
  links: Pick<Links, 'ofInstance'>;
  admins: readonly string[];
  /** The rule of instances for which nobody has set one. */
  fallback: RefusalMode;
}) {
  const { ledger, fallback } = deps;
  const modeName = (instance: InstanceView) => instanceState('refusals', instance);
  const sharedName = (instance: InstanceView) => instanceState('shared', instance);
  /** The named state with the end of an account's watch. All bots share it, since any of them may read the balance. */
  const watchName = (account: string) => `watch:${account}`;
  /** Accounts whose jobs this process saw end lately. */
  const watched = createShortMemory<true>(WATCH_MS, ledger.now);

  async function ruleOf(instance: InstanceView): Promise<RefusalRule> {
    const said = await ledger.namedState(modeName(instance));
    // The damaged rule may have been the safe one: then a refused list must not be sent again.
    if (!said) return { mode: (await ledger.isStateDamaged(modeName(instance))) ? 'unproven' : fallback };
    // A rule that only a later version knows may have been the safe one, too.
    const mode = REFUSAL_MODES.find((each) => each === said.state) ?? 'unproven';
    return { mode, at: said.movedAt, ...Said.safeParse(said.details).data };
  }

  async function isShared(instance: InstanceView): Promise<boolean> {
    return (await ledger.namedState(sharedName(instance)))?.state === 'yes';
  }

  /** The last write counts: tries again if somebody else wrote in between. */
  async function write(name: string, state: string, said: Json): Promise<void> {
    for (;;) {
      const before = await ledger.namedState(name);
      if (await ledger.changeState(name, { from: before?.state, to: state, details: said })) return;
    }
  }

  /** The books contradict `atomic`: sets `unproven`, with one notice to each person who should know. */
  async function setUnproven(instance: InstanceView, missing: number): Promise<void> {
    const name = modeName(instance);
    const before = await ledger.namedState(name);
    if ((await ruleOf(instance)).mode === 'unproven') return;
    const { team, id, name: instanceName } = instance;
    const people = await whoToTell(deps, instance);
    const announcements = [...people].map((user) => ({
      id: `${TOPICS.refusals}:${team}/${id}:${before?.movedAt ?? 0}:${user}`,
      topic: TOPICS.refusals,
      subject: id,
      details: { team, user, instanceName, missing } satisfies RefusalNotice,
    }));
    const change = { from: before?.state, to: 'unproven', details: { by: BOOKS }, announcements };
    await ledger.changeState(name, change);
  }

  /** Credits are missing after a job, so the provider may have sent a part of a list that it refused. */
  async function fallBack(account: string, missing: number): Promise<void> {
    for (const instance of await deps.instances.ofAccount(account)) {
      if (!(await isShared(instance))) await setUnproven(instance, missing);
    }
  }

  return {
    of: ruleOf,
    /** Sets an admin's rule; `check` is the check on which it is based, if any. */
    set: (instance: InstanceView, mode: RefusalMode, by: string, check?: Finding): Promise<void> =>
      write(modeName(instance), mode, { by, ...(check && { check }) }),
    /** Whether other programs use the instance's key all the time, as an admin said. */
    isShared,
    setShared: (instance: InstanceView, shared: boolean, by: string): Promise<void> =>
      write(sharedName(instance), shared ? 'yes' : 'no', { by }),
    fallBack,
    /** A job of the account has ended: for a while, missing credits count against its `atomic` instances. */
    async watch(account: string): Promise<void> {
      watched.set(account, true);
      const until = ledger.now() + WATCH_MS;
      const before = await ledger.namedState(watchName(account));
      const change = { from: before?.state, to: String(until), details: null, isOver: true };
      await ledger.changeState(watchName(account), change);
    },
    /** Whether this process has seen a job of the account end lately. */
    isWatched: (account: string) => watched.get(account) === true,
    /** A balance read found that these credits went elsewhere. A job may have taken them that ended in another bot. */
    async noteElsewhere(account: string, credits: number): Promise<void> {
      const watch = await ledger.namedState(watchName(account));
      if (watch && Number(watch.state) >= ledger.now()) await fallBack(account, credits);
    },
  };
}
