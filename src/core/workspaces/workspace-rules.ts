import type { Records } from '../../records/records.ts';
import type { WorkspaceRules as StoredRules } from '../../records/schema.ts';
import { withChanges } from './with-changes.ts';

/** What holds for all channels of a workspace: what its admins chose, or what holds until they do, and what the operator set. */
export interface WorkspaceRules extends ChosenRules {
  /** Until somebody chose one, it is UTC. */
  isTimeZoneChosen: boolean;
  /** How long a list waits after Send, where its channel has no time of its own. */
  listUndoMs: number;
  /** For how long the same words to the same number count as a repeat; 0: never. */
  repeatGuardMs: number;
}

/** What they may choose. */
export interface ChosenRules {
  /** Months and days of limits begin by this time zone (IANA). */
  timeZone: string;
  /** What {optout} becomes in the words of a list; undefined: nobody chose it yet. */
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
      // What they chose can't be read: perhaps that nobody but admins may.
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
    /** With `shown`, only what differs from that: another admin may have chosen the rest meanwhile. */
    choose: (team: string, chosen: ChosenRules, by: string, shown?: ChosenRules): Promise<void> =>
      inOneStep(async (step) => {
        const found = await step.get(workspaceRules, team);
        const now = found ? { ...found, timeZone: found.timeZone ?? chosen.timeZone } : chosen;
        const rules = shown ? withChanges<ChosenRules>(now, { shown, chosen }) : chosen;
        step.set(workspaceRules, team, { ...rules, team, by });
      }),
  };
}
