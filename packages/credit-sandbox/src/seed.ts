import { z } from 'zod';
import type { Balance } from './schema.ts';

/** An API key of the sandbox and the messaging instance it belongs to ("Authentication": one key, one instance). */
export const Instance = z.strictObject({
  /** The owner's name for the instance; the service's answers never show it. */
  name: z.string(),
  /** The API key, as it comes after `Bearer `. */
  key: z.string(),
  /** The account that pays. Several instances may name the same one. */
  user_id: z.number().int(),
});
export type Instance = z.infer<typeof Instance>;

/** What the sandbox begins with, at its start and after `reset()`. Credits are whole and not below 0. */
export interface Seed {
  accounts: readonly Balance[];
  instances: readonly Instance[];
}

/** The default seed: an account with credits, and one whose credits pay for three texts. */
export const defaultSeed: Seed = {
  accounts: [
    { user_id: 1, user_name: 'Acme Ltd', credits: 1000 },
    { user_id: 2, user_name: 'Birch & Co', credits: 3 },
  ],
  instances: [
    { name: 'Acme', key: 'sandbox-key-acme-0001', user_id: 1 },
    { name: 'Birch', key: 'sandbox-key-birch-0002', user_id: 2 },
  ],
};
