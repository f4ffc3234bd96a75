import type { Sandbox } from 'credit-sandbox';
import { z } from 'zod';

/** Few enough that a channel with the usual threshold of 100 is warned. */
export const FEW_CREDITS = 42;

/** What a step has changed at the service. Another step puts it back. */
const StepChanges = z.strictObject({
  /** The answer to the next text is to be lost. */
  losing: z.boolean().default(false),
  taken: z.strictObject({ account: z.number(), credits: z.number() }).optional(),
});

export interface StepChangesOptions {
  sandbox: Sandbox;
  /** Switches on or off that the answer to the next text is lost. */
  loseAnswer(on: boolean): void;
}

/** Changes the service for one step, and puts that back for the other steps. */
export function createStepChanges({ sandbox, loseAnswer }: StepChangesOptions) {
  let now = StepChanges.parse({});

  return {
    /** Switches on or off that the answer to the next text is lost. What somebody else has set stays. */
    setLosing(on: boolean): void {
      if (on || now.losing) loseAnswer(on);
      now.losing = on;
    },
    /** Call this once an answer was lost: what somebody sets after that is theirs. */
    lost(): void {
      now.losing = false;
    },
    takeCredits(account: number): void {
      const credits = sandbox.credits(account) - FEW_CREDITS;
      if (credits <= 0) return;
      now.taken = { account, credits };
      sandbox.setCredits(account, FEW_CREDITS);
    },
    /** Not if somebody has topped up meanwhile. */
    returnCredits(): void {
      const { taken } = now;
      now.taken = undefined;
      if (!taken) return;
      const left = sandbox.credits(taken.account);
      if (left <= FEW_CREDITS) sandbox.setCredits(taken.account, left + taken.credits);
    },
    snapshot: () => ({ ...now }),
    /** Throws a ZodError if it is not a snapshot. Without one, nothing changes. */
    restore(kept: unknown = {}): void {
      now = StepChanges.parse(kept);
    },
  };
}
