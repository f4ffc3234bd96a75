import { z } from 'zod';
import { MAX_MESSAGE_CHARACTERS } from './schema.ts';

const whole = z.number().int();
/** A delay: setTimeout takes no longer ones. */
const ms = whole.min(1).max(2 ** 31 - 1);

/**
 * Everything that the interface document calls "not shown", as switches that can be thrown while the sandbox runs, and
 * the documented limits, so that a test need not wait a minute. At the start they are as in the document's samples, and a
 * request that is partly invalid or unpaid sends nothing.
 */
export const Switches = z.strictObject({
  /** A recipient that begins with + ("Phone format": not shown). */
  leadingPlus: z.enum(['accepted', 'refused']).default('accepted'),
  /** A recipient that begins with 0 ("Phone format"). */
  leadingZero: z.enum(['accepted', 'refused']).default('refused'),
  /** Recipients that are well formed but refused with a VALIDATION_ERROR all the same; a leading + is ignored. */
  refusedPhones: z.array(z.string()).default([]),
  /** Credits for each message, for each segment of a message, or for a whole request. */
  price: z
    .strictObject({ per: z.enum(['message', 'segment', 'request']), credits: whole.min(0) })
    .default({ per: 'message', credits: 1 }),
  /** A balance that covers only part of a bulk request: nothing is sent, or the first ones are until it is spent. */
  bulkShortOfCredits: z.enum(['refuse', 'send_some']).default('refuse'),
  /** A bulk request in which some messages are not valid: nothing is sent, or the valid ones are. */
  bulkInvalid: z.enum(['refuse', 'send_rest']).default('refuse'),
  /**
   * What a bulk request did before it was refused, with 422 for a bad message or with 402 for a balance that covers only
   * part of it. Whole: nothing. Each other kind sends the messages before the first bad one, as far as the credits go:
   * it charges them, rolls the charge back, charges them `ms` later, or charges them and shows the old balance, in
   * receipts too, until `ms` later.
   */
  bulkRefusal: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.enum(['whole', 'charges', 'rolls_back']) }),
      z.strictObject({ kind: z.enum(['charges_later', 'shows_old_balance']), ms }),
    ])
    .default({ kind: 'whole' }),
  /** Messages of a bulk request that were not sent: listed in the answer with the status "failed", or left out. */
  bulkUnsent: z.enum(['listed', 'omitted']).default('listed'),
  /** Order of `messages` in the bulk answer; "request" is the documented one. */
  bulkOrder: z.enum(['request', 'reversed']).default('request'),
  /** Longest text in a bulk request, in characters (code points). */
  bulkMessageCharacters: whole.min(1).default(MAX_MESSAGE_CHARACTERS),
  /** Status of a message that was sent. */
  status: z.string().min(1).default('sent'),
  /** The first message_id; later ones count up from it. */
  firstMessageId: whole.min(1).default(1),
  /** Fields that no document mentions, in every answer of the service. */
  extraFields: z.boolean().default(false),
  /** `error.details` of a VALIDATION_ERROR: `{ field: [sentence] }`, `[{ field, message }]`, or nothing. */
  errorDetails: z.enum(['map', 'list', 'none']).default('map'),
  /** Requests that one key may make in a window, over all endpoints ("Limits": 60). */
  rateLimit: whole.min(1).default(60),
  /** Length of the window in ms ("Limits": a minute). */
  rateWindowMs: whole.min(1).default(60_000),
  /** Sliding: never over the limit in any window. Fixed: the count starts again at each window's edge. */
  rateWindow: z.enum(['sliding', 'fixed']).default('sliding'),
  /** Where the fixed windows' edges lie, in ms after a multiple of the window's length since 1970. */
  rateOffsetMs: whole.min(0).default(0),
  /** Whether a request that was refused for its rate counts for the ones after it. */
  rateCountsRefused: z.boolean().default(false),
  /** Whether a 429 for the rate carries `Retry-After` (whole seconds until the next request is let through). */
  retryAfter: z.boolean().default(false),
  /** Body of every 429 ("Errors": not shown). */
  tooManyBody: z.enum(['error_object', 'plain_text', 'html', 'empty']).default('error_object'),
});
export type Switches = z.infer<typeof Switches>;

/** Some switches; the others stay as they are. */
export type SwitchesPatch = z.input<typeof Switches>;

/** Switches that can be thrown. Both functions throw a ZodError if something is no switch. */
export function createSwitches(atStart: SwitchesPatch = {}) {
  const initial = Switches.parse(atStart);
  let switches = initial;
  return {
    now: () => switches,
    change(patch: SwitchesPatch): void {
      switches = Switches.parse({ ...switches, ...patch });
    },
    reset(): void {
      switches = initial;
    },
  };
}
