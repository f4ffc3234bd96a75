import type { ShownHome } from '../ledger/homes/home-types.ts';
import type { Announcement } from '../ledger/model/announcement.ts';
import type { AnsweredRead, Credit } from './accounts/credit.ts';
import type { InstanceView, LinkedView } from './accounts/instance-view.ts';
import type { KeyRefusal, KeyTaken, KeyTaker } from './accounts/key-taker.ts';
import type { Link, Links } from './accounts/links.ts';
import type { BalanceRead } from './accounts/read-balance.ts';
import type { Begun, RefusalChecks } from './accounts/refusal-check.ts';
import type { Refusals } from './accounts/refusals.ts';
import type { Statements } from './accounts/statements.ts';
import type { Approvals } from './approvals/approvals.ts';
import type { Core } from './core.ts';
import type { History } from './history/history.ts';
import type { KeepDays } from './history/keep-days.ts';
import type { LookUp } from './history/look-up.ts';
import type { Homes } from './homes/homes.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { OptOutImport } from './opt-outs/import-opt-outs.ts';
import type { OptOuts } from './opt-outs/opt-outs.ts';
import type { Sends } from './sends/sends.ts';
import type { RulesOfWorkspaces, WorkspaceRules } from './workspaces/workspace-rules.ts';

/** What came of adding or replacing a key, as people may see it. */
export type KeyTakenView = (Omit<KeyTaken, 'instance'> & { instance: InstanceView }) | KeyRefusal;

/** Methods without their first argument, the workspace. */
type OfTeam<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (team: string, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

/**
 * Core as one workspace sees it. The ids of another workspace find nothing: an id travels through Slack and back, so it
 * proves nothing. Keys never come out.
 * @throws Error if a person or a link of another workspace is handed in
 */
export interface TeamCore {
  instances: {
    get(id: string): Promise<InstanceView | undefined>;
    list(): Promise<InstanceView[]>;
    add(input: Omit<Parameters<KeyTaker['add']>[0], 'team'>): Promise<KeyTakenView>;
    replaceKey(...given: Parameters<KeyTaker['replaceKey']>): Promise<KeyTakenView>;
    remove(instance: InstanceView): ReturnType<Core['instances']['remove']>;
  };
  links: {
    find(channel: string): Promise<LinkedView | undefined>;
    list(): Promise<Link[]>;
    ofInstance(instance: InstanceView): Promise<Link[]>;
    save(input: Omit<Parameters<Links['save']>[0], 'team'>): Promise<Link>;
    saveLimits: Links['saveLimits'];
    /** What is left of the channel's month, and of this person's day in it. */
    budgets: Core['budgets']['of'];
    remove: Links['remove'];
    removeWhenDone: Links['removeWhenDone'];
  };
  /** Balances. An instance that was removed meanwhile is `unavailable`. */
  credit: {
    ask(instance: InstanceView): Promise<AnsweredRead>;
    read(instance: InstanceView): Promise<BalanceRead>;
    justRead: Credit['justRead'];
    known: Credit['known'];
  };
  /** Looks at the low-credit warnings of all channels that spend from the instance's account. */
  checkWarnings(instance: InstanceView): Promise<void>;
  /** Where the account's credits went in some days. */
  statement: Statements['of'];
  /** How long the account's credits last; `credits`: the balance, where it was just read. */
  runway: Statements['runway'];
  /** What others used of the account's credits within a day, where that is worth telling. */
  drift: Core['drift']['of'];
  refusals: Pick<Refusals, 'of' | 'set' | 'isShared' | 'setShared'>;
  refusalChecks: Pick<RefusalChecks, 'standing' | 'mostCredits' | 'end'> & {
    begin(instance: InstanceView, check: Parameters<RefusalChecks['begin']>[1]): Promise<Begun>;
  };
  sends: Omit<Sends, 'requests'>;
  jobs: Omit<Jobs, 'open' | 'openInTeam' | 'mustView' | 'requests'> & OfTeam<Pick<Jobs, 'open'>>;
  /** Approval by a second person. */
  approvals: Omit<Approvals, 'waiting'> & OfTeam<Pick<Approvals, 'waiting'>>;
  history: History;
  /** Single sends of a channel that need a person's decision, newest first; one more than `MOST_UNDECIDED` at most. */
  unknownSends: OfTeam<Core>['unknownSends'];
  /** How many texts the repeat guard held back in a channel within the last 7 days. */
  heldBackLately: OfTeam<Core>['heldBackLately'];
  /** Whether a number was texted, by its digits, from the channels that `mayRead` names. */
  lookUp: OfTeam<LookUp>['find'];
  /** Numbers that the workspace texts no more. The caller has checked that the person may see or change them. */
  optOuts: OfTeam<Omit<OptOuts, 'whichAreOut' | 'leaveOut'>> & {
    import(given: Parameters<OptOutImport>[1]): ReturnType<OptOutImport>;
  };
  /** What the admins chose for all channels. */
  rules: OfTeam<Pick<RulesOfWorkspaces, 'choose'>> & { now(): Promise<WorkspaceRules> };
  /** For how many days texts are kept; an admin may choose fewer than `most`. */
  keepDays: Pick<KeepDays, 'most'> & OfTeam<Pick<KeepDays, 'choose'>> & { now(): Promise<number> };
  homes: Pick<Homes, 'lastSends'> &
    OfTeam<Pick<Homes, 'facts' | 'unknown'>> & {
      /** This person opened their Home: the bot keeps it up to date for an hour. */
      opened(user: string): Promise<void>;
      /** What their Home shows now; undefined if nobody knows. */
      note(user: string, shown: ShownHome | undefined): Promise<void>;
      forget(user: string): Promise<void>;
    };
  announce(row: Announcement): Promise<void>;
  firstTime(request: string): Promise<boolean>;
}
