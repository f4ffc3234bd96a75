import type { SpendingLimits } from './accounts/channel-limits.ts';
import { type InstanceView, viewOfInstance, viewOfLinked } from './accounts/instance-view.ts';
import type { Instance } from './accounts/instances.ts';
import type { KeyRefusal, KeyTaken, KeyTaker } from './accounts/key-taker.ts';
import type { Link, Links } from './accounts/links.ts';
import type { NoBalance } from './accounts/read-balance.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { CoreParts } from './core.ts';
import type { Homes } from './homes/homes.ts';
import { createTeamMethods } from './team-methods.ts';
import type { RulesChoice } from './workspaces/workspace-rules.ts';

/**
 * Core as one workspace sees it, with the names of core's own methods. An id of another workspace finds nothing: ids
 * travel through Slack and back, so they prove nothing. No method returns a key.
 * @throws Error if a person, a link or an instance of another workspace is passed in
 */
export type TeamCore = ReturnType<typeof createTeamCore>;

/** The core of one workspace. Slack can call only the methods that are listed here. */
export function createTeamCore(core: CoreParts, team: string) {
  const { instances, links, credit, refusals, refusalChecks, sends, jobs, approvals, history, homes } = core;
  const { found, own, here, ofOwn, byOwn, askedByOwn } = createTeamMethods(team);

  /** A method that needs the instance's key. */
  function withKey<Rest extends unknown[], Answer>(
    method: (instance: Instance, ...rest: Rest) => Promise<Answer>,
  ) {
    return async (view: InstanceView, ...rest: Rest): Promise<Answer | NoBalance> => {
      const instance = await instances.get(team, own(view).id);
      // Somebody has removed it meanwhile.
      return instance ? method(instance, ...rest) : { kind: 'unavailable' };
    };
  }

  /** A method that reads a job by its id alone. */
  function ofOwnJob<Rest extends unknown[], Answer>(
    method: (id: string, ...rest: Rest) => Promise<Answer | undefined>,
  ) {
    return async (id: string, ...rest: Rest) => found(await jobs.view(id)) && method(id, ...rest);
  }

  async function ownRequest(id: string): ReturnType<Approvals['view']> {
    const request = await approvals.view(id);
    return found(request?.view) && request;
  }

  /** The result of adding or replacing a key, as people may see it. */
  function viewOfTaken(taken: KeyTaken | KeyRefusal) {
    return 'instance' in taken ? { ...taken, instance: viewOfInstance(taken.instance) } : taken;
  }

  return {
    instances: {
      async get(id: string) {
        const instance = await instances.get(team, id);
        return instance && viewOfInstance(instance);
      },
      list: async () => (await instances.list(team)).map(viewOfInstance),
      add: async (input: Omit<Parameters<KeyTaker['add']>[0], 'team'>) =>
        viewOfTaken(await instances.add({ ...input, team })),
      replaceKey: async (...[instance, ...how]: Parameters<KeyTaker['replaceKey']>) =>
        viewOfTaken(await instances.replaceKey(own(instance), ...how)),
      remove: ofOwn(instances.remove),
    },
    links: {
      async find(channel: string) {
        const linked = await links.find(team, channel);
        return linked && viewOfLinked(linked);
      },
      isDamaged: here(links.isDamaged),
      list: here(links.list),
      ofInstance: ofOwn(links.ofInstance),
      save: (input: Omit<Parameters<Links['save']>[0], 'team'>) =>
        links.save({ ...input, instance: own(input.instance), team }),
      saveSettings: ofOwn(links.saveSettings),
      /** Saves the limits of a channel and the workspace's rules: both or none. */
      saveLimits: (
        link: Link,
        limits: SpendingLimits,
        isAsShown: (link: Link) => boolean,
        rules: RulesChoice,
      ) => links.saveLimits(own(link), limits, isAsShown, core.rules.choosing(team, rules)),
      budgets: ofOwn(core.budgets.of),
      remove: ofOwn(links.remove),
      announceLinked: ofOwn(links.announceLinked),
      removeWhenDone: ofOwn(links.removeWhenDone),
    },
    credit: {
      async ask(view: InstanceView) {
        const asked = await withKey((instance) => credit.ask(instance, 'interactive'))(view);
        return 'said' in asked ? asked : { said: asked, recorded: Promise.resolve(asked) };
      },
      read: withKey((instance) => credit.read(instance, 'interactive')),
      justRead: ofOwn(credit.justRead),
      known: ofOwn(credit.known),
    },
    /** Looks at the low-credit warnings of all channels that spend from the instance's account. */
    checkWarnings: (instance: InstanceView) => core.warnings.check(own(instance).accountId),
    statement: ofOwn(core.statements.of),
    runway: ofOwn(core.statements.runway),
    refusals: {
      of: ofOwn(refusals.of),
      set: ofOwn(refusals.set),
      isShared: ofOwn(refusals.isShared),
      setShared: ofOwn(refusals.setShared),
    },
    refusalChecks: {
      progress: ofOwn(refusalChecks.progress),
      mostCredits: ofOwn(refusalChecks.mostCredits),
      begin: withKey(refusalChecks.begin),
      end: ofOwn(refusalChecks.end),
    },
    sends: {
      draft: askedByOwn(sends.draft),
      confirm: byOwn(sends.confirm),
      withdraw: byOwn(sends.withdraw),
      supersede: byOwn(sends.supersede),
      undo: byOwn(sends.undo),
      view: async (id: string) => found(await sends.view(id)),
      saySent: byOwn(sends.saySent),
      leaveUnknown: byOwn(sends.leaveUnknown),
    },
    jobs: {
      draft: askedByOwn(jobs.draft),
      draftResend: byOwn(jobs.draftResend),
      preview: ofOwnJob(jobs.preview),
      confirm: byOwn(jobs.confirm),
      withdraw: byOwn(jobs.withdraw),
      supersede: byOwn(jobs.supersede),
      undo: byOwn(jobs.undo),
      view: async (id: string) => found(await jobs.view(id)),
      pause: byOwn(jobs.pause),
      resume: byOwn(jobs.resume),
      stop: byOwn(jobs.stop),
      open: here(jobs.open),
      saySent: byOwn(jobs.saySent),
      leaveUnknown: byOwn(jobs.leaveUnknown),
      rejected: ofOwnJob(jobs.rejected),
      results: ofOwnJob(jobs.results),
    },
    approvals: {
      view: ownRequest,
      waiting: here(approvals.waiting),
      ask: byOwn(approvals.ask),
      approve: (...[id, approver, findAsker, confirmation]: Parameters<Approvals['approve']>) =>
        approvals.approve(
          id,
          own(approver),
          async (user) => {
            const asker = await findAsker(user);
            return asker && own(asker);
          },
          confirmation,
        ),
      decline: byOwn(approvals.decline),
      sendBack: async (id: string, reason: string): ReturnType<Approvals['sendBack']> =>
        (await ownRequest(id)) ? approvals.sendBack(id, reason) : { kind: 'missing' },
      readers: approvals.readers,
    },
    /** The caller has checked that the person may see it. */
    history: {
      page: askedByOwn(history.page),
      details: askedByOwn(history.details),
      lines: askedByOwn(history.lines),
    },
    heldBackLately: here(core.heldBackLately),
    lookUp: here(core.lookUp),
    /** The caller has checked that the person may see or change them. */
    optOuts: {
      find: here(core.optOuts.find),
      import: here(core.importOptOuts),
      change: here(core.optOuts.change),
      count: here(core.optOuts.count),
      newest: here(core.optOuts.newest),
      all: here(core.optOuts.all),
    },
    rules: { now: here(core.rules.of) },
    keepDays: { most: core.keepDays.most, now: here(core.keepDays.of), choose: here(core.keepDays.choose) },
    homes: {
      facts: here(homes.facts),
      unknown: here(homes.unknown),
      lastSends: ofOwn(homes.lastSends),
      opened: (user: string) => homes.opened({ team, user }),
      note: (user: string, shown: Parameters<Homes['note']>[1]) => homes.note({ team, user }, shown),
      forget: (user: string) => homes.forget({ team, user }),
    },
    announce: core.announce,
    now: core.now,
    firstTime: core.firstTime,
  };
}
