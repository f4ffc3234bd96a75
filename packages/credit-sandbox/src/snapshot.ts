import { z } from 'zod';
import { Fault } from './faults.ts';
import { LateCharge } from './late-charges.ts';
import { Balance } from './schema.ts';

const whole = z.number().int().min(0);

export const BooksSnapshot = z.strictObject({
  accounts: z.array(Balance.extend({ credits: whole })),
  instances: z.array(
    z.strictObject({ name: z.string(), key: z.string(), user_id: z.number().int(), revoked: z.boolean() }),
  ),
  messages: z.array(
    z.strictObject({
      id: whole,
      phone: z.string(),
      text: z.string(),
      status: z.string(),
      instance: z.string(),
      key: z.string(),
      user_id: z.number().int(),
      request: whole,
      at: z.number(),
    }),
  ),
  /** Older snapshots have no late charges. */
  lateCharges: z.array(LateCharge).default([]),
  /** How many messages were created and requests made so far. */
  created: whole,
  requested: whole,
});
export type BooksSnapshot = z.infer<typeof BooksSnapshot>;

/** A sandbox at one moment, as `snapshot()` gives it and `restore()` takes it. */
export const SandboxSnapshot = z.strictObject({ books: BooksSnapshot, faults: z.array(Fault) });
export type SandboxSnapshot = z.infer<typeof SandboxSnapshot>;
