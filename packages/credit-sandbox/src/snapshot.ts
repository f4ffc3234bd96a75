import { z } from 'zod';
import { Fault } from './faults.ts';
import { LateCharge } from './late-charges.ts';
import { Balance } from './schema.ts';
import { Instance } from './seed.ts';

const whole = z.number().int().min(0);

/** An instance, and whether its key still works. */
export const InstanceRecord = Instance.extend({ revoked: z.boolean() });
export type InstanceRecord = z.infer<typeof InstanceRecord>;

/** A text that the sandbox really sent. */
export const SentMessage = z.strictObject({
  id: whole,
  /** As the client wrote it. */
  phone: z.string(),
  text: z.string(),
  status: z.string(),
  /** Name of the instance, its key, and the account that paid. */
  instance: z.string(),
  key: z.string(),
  user_id: z.number().int(),
  /** The number of its request. */
  request: whole,
  /** ms since 1970. */
  at: z.number(),
});
export type SentMessage = z.infer<typeof SentMessage>;

export const BooksSnapshot = z.strictObject({
  accounts: z.array(Balance.extend({ credits: whole })),
  instances: z.array(InstanceRecord),
  messages: z.array(SentMessage),
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
