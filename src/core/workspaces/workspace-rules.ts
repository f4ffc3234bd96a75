import type { Records } from '../../records/records.ts';
import type { WorkspaceRules as StoredRules } from '../../records/schema.ts';
import { withChanges } from './with-changes.ts';

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
    /** Saves the rules. With the form's `shown` values, only what the admin changed: others may have changed the rest. */
    choose: (team: string, chosen: ChosenRules, by: string, shown?: ChosenRules): Promise<void> =>
      inOneStep(async (step) => {
        const found = await step.get(workspaceRules, team);
        const now = found ? { ...found, timeZone: found.timeZone ?? chosen.timeZone } : chosen;
        const rules = shown ? withChanges<ChosenRules>(now, { shown, chosen }) : chosen;
        step.set(workspaceRules, team, { ...rules, team, by });
      }),
  };
}
