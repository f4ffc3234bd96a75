import { type InstanceView, viewOfInstance, viewOfLinked } from './accounts/instance-view.ts';
import type { Instance } from './accounts/instances.ts';
import type { KeyRefusal, KeyTaken } from './accounts/key-taker.ts';
import type { NoBalance } from './accounts/no-balance.ts';
import type { Person } from './accounts/permissions.ts';
import type { ApprovalRequest } from './approvals/approvals.ts';
import type { Core } from './core.ts';
import type { KeyTakenView, TeamCore } from './team-core.ts';

const UNAVAILABLE: NoBalance = { kind: 'unavailable' };

/** The core of one workspace. Slack reaches only the methods that are listed here. */
export function createTeamCore(core: Omit<Core, 'forTeam'>, team: string): TeamCore {
  const { instances, links, credit, refusals, refusalChecks, sends, jobs, approvals } = core;

  function found<T extends { team: string }>(answer: T | undefined): T | undefined {
    return answer?.team === team ? answer : undefined;
  }

  function own<T extends { team: string }>(given: T): T {
    if (given.team !== team) throw new Error('something of another workspace was handed in');
    return given;
  }

  /** With its sealed key; undefined if it was removed. */
  const opened = (view: InstanceView): Promise<Instance | undefined> => instances.get(team, own(view).id);

  async function ownJob<T>(id: string, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    return found(await jobs.view(id)) && ask();
  }

  async function ownRequest(id: string): Promise<ApprovalRequest | undefined> {
    const request = await approvals.view(id);
    return found(request?.view) && request;
  }

  function byOwn<T extends { person: Person }>(asked: T): T {
    own(asked.person);
    return asked;
  }

  function viewOfTaken(taken: KeyTaken | KeyRefusal): KeyTakenView {
    return 'instance' in taken ? { ...taken, instance: viewOfInstance(taken.instance) } : taken;
  }

  return {
    instances: {
      async get(id) {
        const instance = await instances.get(team, id);
        return instance && viewOfInstance(instance);
      },
      list: async () => (await instances.list(team)).map(viewOfInstance),
      add: async (input) => viewOfTaken(await instances.add({ ...input, team })),
      replaceKey: async (instance, key, options) =>
        viewOfTaken(await instances.replaceKey(own(instance), key, options)),
      remove: (instance) => instances.remove(own(instance)),
    },
    links: {
      async find(channel) {
        const linked = await links.find(team, channel);
        return linked && viewOfLinked(linked);
      },
      list: () => links.list(team),
      ofInstance: (instance) => links.ofInstance(own(instance)),
      save: (input) => links.save({ ...input, instance: own(input.instance), team }),
      saveLimits: (link, limits) => links.saveLimits(own(link), limits),
      budgets: (link, user) => core.budgets.of(own(link), user),
      remove: (link) => links.remove(own(link)),
      removeWhenDone: (link, by) => links.removeWhenDone(own(link), by),
    },
    credit: {
      async ask(view) {
        const instance = await opened(view);
        return instance
          ? credit.ask(instance, 'interactive')
          : { said: UNAVAILABLE, recorded: Promise.resolve(UNAVAILABLE) };
      },
      async read(view) {
        const instance = await opened(view);
        return instance ? credit.read(instance, 'interactive') : UNAVAILABLE;
      },
      justRead: (instance) => credit.justRead(own(instance)),
      known: (instance) => credit.known(own(instance)),
    },
    checkWarnings: (instance) => core.warnings.check(own(instance).accountId),
    statement: (instance, days) => core.statements.of(own(instance), days),
    runway: (instance, credits) => core.statements.runway(own(instance), credits),
    drift: (instance) => core.drift.of(own(instance)),
    refusals: {
      of: (instance) => refusals.of(own(instance)),
      set: (instance, mode, by) => refusals.set(own(instance), mode, by),
      isShared: (instance) => refusals.isShared(own(instance)),
      setShared: (instance, shared, by) => refusals.setShared(own(instance), shared, by),
    },
    refusalChecks: {
      standing: (instance) => refusalChecks.standing(own(instance)),
      mostCredits: (instance) => refusalChecks.mostCredits(own(instance)),
      async begin(view, check) {
        const instance = await opened(view);
        return instance ? refusalChecks.begin(instance, check) : UNAVAILABLE;
      },
      end: (instance, check) => refusalChecks.end(own(instance), check),
    },
    sends: {
      draft: (input) => sends.draft(byOwn(input)),
      confirm: (id, person, reply, how) => sends.confirm(id, own(person), reply, how),
      withdraw: (id, person, to) => sends.withdraw(id, own(person), to),
      undo: (id, person) => sends.undo(id, own(person)),
      view: async (id) => found(await sends.view(id)),
      saySent: (id, person) => sends.saySent(id, own(person)),
      leaveUnknown: (id, person) => sends.leaveUnknown(id, own(person)),
    },
    jobs: {
      draft: (input) => jobs.draft(byOwn(input)),
      draftResend: (id, person, reply) => jobs.draftResend(id, own(person), reply),
      preview: (id, include) => ownJob(id, () => jobs.preview(id, include)),
      confirm: (id, person, reply, how) => jobs.confirm(id, own(person), reply, how),
      withdraw: (id, person, to) => jobs.withdraw(id, own(person), to),
      undo: (id, person) => jobs.undo(id, own(person)),
      view: async (id) => found(await jobs.view(id)),
      pause: (id, person) => jobs.pause(id, own(person)),
      resume: (id, person, how) => jobs.resume(id, own(person), how),
      stop: (id, person) => jobs.stop(id, own(person)),
      open: (channel) => jobs.open(team, channel),
      saySent: (id, person) => jobs.saySent(id, own(person)),
      leaveUnknown: (id, person) => jobs.leaveUnknown(id, own(person)),
      rejected: (id) => ownJob(id, () => jobs.rejected(id)),
      results: (id) => ownJob(id, () => jobs.results(id)),
    },
    approvals: {
      view: ownRequest,
      waiting: () => approvals.waiting(team),
      ask: (id, person, reply, how) => approvals.ask(id, own(person), reply, how),
      approve: (id, approver, asker, onWait) =>
        approvals.approve(
          id,
          own(approver),
          async (user) => {
            const person = await asker(user);
            return person && own(person);
          },
          onWait,
        ),
      decline: (id, approver, reason) => approvals.decline(id, own(approver), reason),
      sendBack: async (id, reason) =>
        (await ownRequest(id)) ? approvals.sendBack(id, reason) : { kind: 'missing' },
      readers: approvals.readers,
    },
    history: {
      page: (asked, cursor) => core.history.page(byOwn(asked), cursor),
      details: (asked, id) => core.history.details(byOwn(asked), id),
      lines: (asked) => core.history.lines(byOwn(asked)),
    },
    unknownSends: (channel) => core.unknownSends(team, channel),
    heldBackLately: (channel) => core.heldBackLately(team, channel),
    lookUp: (digits, mayRead) => core.lookUp.find(team, digits, mayRead),
    optOuts: {
      find: (digits) => core.optOuts.find(team, digits),
      import: (given) => core.importOptOuts(team, given),
      change: (...asked) => core.optOuts.change(team, ...asked),
      count: () => core.optOuts.count(team),
      newest: (limit) => core.optOuts.newest(team, limit),
      all: () => core.optOuts.all(team),
    },
    rules: {
      now: () => core.rules.of(team),
      choose: (rules, by) => core.rules.choose(team, rules, by),
    },
    keepDays: {
      most: core.keepDays.most,
      now: () => core.keepDays.of(team),
      choose: (days, by) => core.keepDays.choose(team, days, by),
    },
    homes: {
      facts: () => core.homes.facts(team),
      unknown: (maxAgeMs) => core.homes.unknown(team, maxAgeMs),
      lastSends: (person) => core.homes.lastSends(own(person)),
      opened: (user) => core.homes.opened({ team, user }),
      note: (user, shown) => core.homes.note({ team, user }, shown),
      forget: (user) => core.homes.forget({ team, user }),
    },
    announce: core.announce,
    firstTime: core.firstTime,
  };
}
