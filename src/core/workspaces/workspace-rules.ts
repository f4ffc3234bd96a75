import { isDeepStrictEqual } from 'node:util';
import type { Records } from '../../records/records.ts';
import type { WorkspaceRules as StoredRules } from '../../records/schema.ts';
import type { Step } from '../../records/step.ts';

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

/** An admin's choice of the rules. `shown`: the rules that they saw before. */
export interface RulesChoice {
  chosen: ChosenRules;
  by: string;
  shown?: ChosenRules | undefined;
}

export type RulesOfWorkspaces = ReturnType<typeof createWorkspaceRules>;

export function createWorkspaceRules(
  { workspaceRules }: Pick<Records, 'workspaceRules'>,
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
    /** Saves a choice, in a step that saves more. False if somebody has changed the `shown` rules to others. */
    choosing(team: string, { chosen, by, shown }: RulesChoice): (step: Step) => Promise<boolean> {
      return async (step) => {
        const found = await step.get(workspaceRules, team);
        if (shown && !isOneOf([shown, chosen], found)) return false;
        step.set(workspaceRules, team, { ...chosen, team, by });
        return true;
      };
    },
  };
}

function isOneOf(known: ChosenRules[], now: StoredRules | undefined): boolean {
  if (!now) return true;
  return known.some(({ timeZone, optOutText, whoMayOptOut }) =>
    isDeepStrictEqual(
      [now.timeZone ?? timeZone, now.optOutText, now.whoMayOptOut],
      [timeZone, optOutText, whoMayOptOut],
    ),
  );
}
