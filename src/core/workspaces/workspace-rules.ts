import type { Records, WorkspaceRules as StoredRules } from '../../records/records.ts';

/** What the admins of a workspace chose for all of its channels, or what holds until they do. */
export interface WorkspaceRules extends ChosenRules {
  /** Until somebody chose one, it is UTC. */
  isTimeZoneChosen: boolean;
}

/** What they may choose. */
export interface ChosenRules {
  /** Months and days of limits begin by this time zone (IANA). */
  timeZone: string;
  /** What stands for {optout} in the words of a list; undefined: nobody chose it yet. */
  optOutText?: string;
  whoMayOptOut: StoredRules['whoMayOptOut'];
}

/** The rules of workspaces. */
export interface RulesOfWorkspaces {
  of(team: string): Promise<WorkspaceRules>;
  choose(team: string, rules: ChosenRules, by: string): Promise<void>;
}

export function createWorkspaceRules({ workspaceRules }: Pick<Records, 'workspaceRules'>): RulesOfWorkspaces {
  return {
    async of(team) {
      const chosen = (await workspaceRules.get(team)) ?? {};
      const { timeZone, optOutText, whoMayOptOut = 'everyone' }: Partial<StoredRules> = chosen;
      return {
        timeZone: timeZone ?? 'UTC',
        isTimeZoneChosen: timeZone !== undefined,
        whoMayOptOut,
        ...(optOutText === undefined ? {} : { optOutText }),
      };
    },
    choose: (team, rules, by) => workspaceRules.set(team, { ...rules, team, by }),
  };
}
