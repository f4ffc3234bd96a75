import type { Sandbox } from 'credit-sandbox';
import { z } from 'zod';

/** Below the default threshold of 100, so the bot warns the channel. */
export const FEW_CREDITS = 42;

/** What a step has changed at the service. The next step undoes it. */
const StepChanges = z.strictObject({
  /** Whether the step made the next text's answer get lost. */
  losing: z.boolean().default(false),
  taken: z.strictObject({ account: z.number(), credits: z.number() }).optional(),
});

export interface StepChangesOptions {
  sandbox: Sandbox;
  /** Switches the loss of the next text's answer on or off. */
  loseAnswer(on: boolean): void;
}

/** Changes the service for a step, and undoes that for the next one. */
export function createStepChanges({ sandbox, loseAnswer }: StepChangesOptions) {
  let now = StepChanges.parse({});

  return {
    /** `on`: the next text's answer gets lost. Off: undoes that, unless a person did it. */
    setLosing(on: boolean): void {
      if (on || now.losing) loseAnswer(on);
      now.losing = on;
    },
    /** Call this after an answer got lost. Any later loss is a person's doing. */
    lost(): void {
      now.losing = false;
    },
    takeCredits(account: number): void {
      const credits = sandbox.credits(account) - FEW_CREDITS;
      if (credits <= 0) return;
      now.taken = { account, credits };
      sandbox.setCredits(account, FEW_CREDITS);
    },
    /** Gives back what `takeCredits` took, unless somebody has topped up since. */
    returnCredits(): void {
      const { taken } = now;
      now.taken = undefined;
      if (!taken) return;
      const left = sandbox.credits(taken.account);
      if (left <= FEW_CREDITS) sandbox.setCredits(taken.account, left + taken.credits);
    },
    snapshot: () => ({ ...now }),
    /** Restores a snapshot; without one, starts with no changes. Throws a ZodError if it is no snapshot. */
    restore(kept: unknown = {}): void {
      now = StepChanges.parse(kept);
    },
  };
}
