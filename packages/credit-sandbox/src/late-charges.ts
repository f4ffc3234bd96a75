import { z } from 'zod';

const whole = z.number().int();

/** A charge that the balance does not show yet. */
export const LateCharge = z.strictObject({
  user_id: whole,
  credits: whole.min(0),
  /** When the balance shows the charge, in ms since 1970. */
  at: whole,
  /** Whether the account is already charged, and only the shown balance is late. */
  booked: z.boolean(),
});
export type LateCharge = z.infer<typeof LateCharge>;

/** Charges that are still to come. Calls `onDue` with each charge at its time. */
export function createLateCharges(onDue: (charge: LateCharge) => void) {
  const waiting = new Map<LateCharge, NodeJS.Timeout>();

  return {
    /** If the charge's time is past, `onDue` runs in the next turn of the event loop. */
    add(charge: LateCharge): void {
      const wait = setTimeout(
        () => {
          waiting.delete(charge);
          onDue(charge);
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
