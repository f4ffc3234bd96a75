import { isDeepStrictEqual } from 'node:util';
import type { Records } from '../../records/records.ts';
import type { WorkspaceRules as StoredRules } from '../../records/schema.ts';

/** The rules of a whole workspace: its admins' choices or the defaults, and the operator's settings. */
export interface WorkspaceRules extends ChosenRules {
  /** The time zone is UTC until somebody chooses one. */
  isTimeZoneChosen: boolean;
  /** How long a list waits after Send, unless its channel has a time of its own. */
  listUndoMs: number;
  /** For how long the same words to the same number count as a repeat; 0: never. */
  repeatGuardMs: number;
}

/** The rules that admins may choose. */
export interface ChosenRules {
  /** Months and days of budgets begin at midnight in this time zone (IANA). */
  timeZone: string;
  /** The text for {optout} in a list; undefined until somebody chooses one. */
  optOutText?: string | undefined;
  whoMayOptOut: StoredRules['whoMayOptOut'];
}

export type RulesOfWorkspaces = ReturnType<typeof createWorkspaceRules>;

export function createWorkspaceRules(
  { workspaceRules, inOneStep }: Pick<Records, 'workspaceRules' | 'inOneStep'>,
  { listUndoMs, repeatGuardMs }: Pick<WorkspaceRules, 'listUndoMs' | 'repeatGuardMs'>,
) {
  return {
    async of(team: string): Promise<WorkspaceRules> {
      const { text, record } = await workspaceRules.stored(team);
      // The admins may have chosen 'admins'. If we can't read the record, the stricter rule counts.
      const unlessChosen = text === undefined ? 'everyone' : 'admins';
      const { timeZone, optOutText, whoMayOptOut = unlessChosen }: Partial<StoredRules> = record ?? {};
      return {
        timeZone: timeZone ?? 'UTC',
        isTimeZoneChosen: timeZone !== undefined,
        whoMayOptOut,
        listUndoMs,
        repeatGuardMs,
        ...(optOutText === undefined ? {} : { optOutText }),
      };
    },
    /** Whether nobody has changed the rules since they were as `shown`. */
    areStill: async (team: string, shown: ChosenRules): Promise<boolean> =>
      isStill(shown, (await workspaceRules.stored(team)).record),
    /** Saves the rules. Saves nothing and returns false if they are not the `shown` ones any more. */
    choose: (team: string, chosen: ChosenRules, by: string, shown?: ChosenRules): Promise<boolean> =>
      inOneStep(async (step) => {
        const found = await step.get(workspaceRules, team);
        if (shown && !isStill(shown, found)) return false;
        step.set(workspaceRules, team, { ...chosen, team, by });
        return true;
      }),
  };
}

function isStill(shown: ChosenRules, now: StoredRules | undefined): boolean {
  if (!now) return true;
  const rules = [{ ...now, timeZone: now.timeZone ?? shown.timeZone }, shown];
  const [a, b] = rules.map(({ timeZone, optOutText, whoMayOptOut }) => [timeZone, optOutText, whoMayOptOut]);
  return isDeepStrictEqual(a, b);
}
