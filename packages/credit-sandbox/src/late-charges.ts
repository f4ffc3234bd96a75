import { z } from 'zod';

const whole = z.number().int();

/** A charge that the balance does not show yet. */
export const LateCharge = z.strictObject({
  user_id: whole,
  credits: whole.min(0),
  /** When the balance shows the charge, in ms since 1970. */
  at: whole,
  /** Whether the credits are gone already, so that only the shown balance is old. */
  booked: z.boolean(),
});
export type LateCharge = z.infer<typeof LateCharge>;

/** Charges that wait for their time. Calls `due` with each when its time has come. */
export function createLateCharges(due: (charge: LateCharge) => void) {
  const waiting = new Map<LateCharge, NodeJS.Timeout>();

  return {
    /** A charge whose time has passed is due in the next turn of the loop. */
    add(charge: LateCharge): void {
      const wait = setTimeout(
        () => {
          waiting.delete(charge);
          due(charge);
        },
        Math.max(0, charge.at - Date.now()),
      );
      waiting.set(charge, wait.unref());
    },
    list: () => [...waiting.keys()],
    /** Forgets all charges: none becomes due. */
    clear(): void {
      for (const wait of waiting.values()) clearTimeout(wait);
      waiting.clear();
    },
  };
}
