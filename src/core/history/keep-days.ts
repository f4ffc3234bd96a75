import type { Records } from '../../records/records.ts';

/** Texts are kept for `days` at most, entries of the look-up for `lookupDays`. */
export interface RetentionLimits {
  days: number;
  lookupDays: number;
}

/** The fewest days that anybody may choose. */
export const LEAST_DAYS = 3;

export type KeepDays = ReturnType<typeof createKeepDays>;

/** For how many days a workspace keeps texts. */
export function createKeepDays(
  { retention }: Pick<Records, 'retention'>,
  { days: most }: Pick<RetentionLimits, 'days'>,
) {
  return {
    /** The most that admins may choose. */
    most,
    /** The admins' choice or the configured days, whichever is fewer. A damaged choice counts as none. */
    async of(team: string): Promise<number> {
      const choice = await retention.get(team);
      return Math.min(most, choice?.days ?? most);
    },
    /** Saves an admin's choice; undefined: `most` days from now on. @throws RangeError for days out of range */
    async choose(team: string, days: number | undefined, by: string): Promise<void> {
      if (days === undefined) return void (await retention.delete(team));
      if (!Number.isInteger(days) || days < LEAST_DAYS || days > most) {
        throw new RangeError(`${days} is not a number of days from ${LEAST_DAYS} to ${most}`);
      }
      await retention.set(team, { team, days, by });
    },
  };
}
