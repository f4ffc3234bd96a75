import { z } from 'zod';
import { MAX_MESSAGE_CHARACTERS } from './schema.ts';

const whole = z.number().int();
/** A delay: setTimeout takes no longer ones. */
const ms = whole.min(1).max(2 ** 31 - 1);

/**
 * Everything that the interface document calls "not shown", as switches that can be thrown while the sandbox runs, and
 * the documented limits, so that a test need not wait a minute.
 */
export const Switches = z.strictObject({
  /** A recipient that begins with + ("Phone format": not shown). */
  leadingPlus: z.enum(['accepted', 'refused']),
  /** A recipient that begins with 0 ("Phone format"). */
  leadingZero: z.enum(['accepted', 'refused']),
  /** Recipients that are well formed but refused with a VALIDATION_ERROR all the same; a leading + is ignored. */
  refusedPhones: z.array(z.string()),
  /** Credits for each message, for each segment of a message, or for a whole request. */
  price: z.strictObject({ per: z.enum(['message', 'segment', 'request']), credits: whole.min(0) }),
  /** A balance that covers only part of a bulk request: nothing is sent, or the first ones are until it is spent. */
  bulkShortOfCredits: z.enum(['refuse', 'send_some']),
  /** A bulk request in which some messages are not valid: nothing is sent, or the valid ones are. */
  bulkInvalid: z.enum(['refuse', 'send_rest']),
  /**
   * What a bulk request did before it was refused, with 422 for a bad message or with 402 for a balance that covers only
   * part of it. Whole: nothing. Each other kind sends the messages before the first bad one, as far as the credits go:
   * it charges them, rolls the charge back, charges them `ms` later, or charges them and shows the old balance, in
   * receipts too, until `ms` later.
   */
  bulkRefusal: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('whole') }),
    z.strictObject({ kind: z.literal('charges') }),
    z.strictObject({ kind: z.literal('rolls_back') }),
    z.strictObject({ kind: z.literal('charges_later'), ms }),
    z.strictObject({ kind: z.literal('shows_old_balance'), ms }),
  ]),
  /** Messages of a bulk request that were not sent: listed in the answer with the status "failed", or left out. */
  bulkUnsent: z.enum(['listed', 'omitted']),
  /** Order of `messages` in the bulk answer; "request" is the documented one. */
  bulkOrder: z.enum(['request', 'reversed']),
  /** Longest text in a bulk request, in characters (code points). */
  bulkMessageCharacters: whole.min(1),
  /** Status of a message that was sent. */
  status: z.string().min(1),
  /** The first message_id; later ones count up from it. */
  firstMessageId: whole.min(1),
  /** Fields that no document mentions, in every answer of the service. */
  extraFields: z.boolean(),
  /** `error.details` of a VALIDATION_ERROR: `{ field: [sentence] }`, `[{ field, message }]`, or nothing. */
  errorDetails: z.enum(['map', 'list', 'none']),
  /** Requests that one key may make in a window, over all endpoints ("Limits": 60). */
  rateLimit: whole.min(1),
  /** Length of the window in ms ("Limits": a minute). */
  rateWindowMs: whole.min(1),
  /** Sliding: never over the limit in any window. Fixed: the count starts again at each window's edge. */
  rateWindow: z.enum(['sliding', 'fixed']),
  /** Where the fixed windows' edges lie, in ms after a multiple of the window's length since 1970. */
  rateOffsetMs: whole.min(0),
  /** Whether a request that was refused for its rate counts for the ones after it. */
  rateCountsRefused: z.boolean(),
  /** Whether a 429 for the rate carries `Retry-After` (whole seconds until the next request is let through). */
  retryAfter: z.boolean(),
  /** Body of every 429 ("Errors": not shown). */
  tooManyBody: z.enum(['error_object', 'plain_text', 'html', 'empty']),
});
export type Switches = z.infer<typeof Switches>;

/** Some switches; the others stay as they are. */
export const SwitchesPatch = Switches.partial();
export type SwitchesPatch = z.infer<typeof SwitchesPatch>;

/**
 * The switches at the start: as in the document's samples, and a request that is partly invalid or unpaid sends
 * nothing.
 */
export const defaultSwitches: Switches = {
  leadingPlus: 'accepted',
  leadingZero: 'refused',
  refusedPhones: [],
  price: { per: 'message', credits: 1 },
  bulkShortOfCredits: 'refuse',
  bulkInvalid: 'refuse',
  bulkRefusal: { kind: 'whole' },
  bulkUnsent: 'listed',
  bulkOrder: 'request',
  bulkMessageCharacters: MAX_MESSAGE_CHARACTERS,
  status: 'sent',
  firstMessageId: 1,
  extraFields: false,
  errorDetails: 'map',
  rateLimit: 60,
  rateWindowMs: 60_000,
  rateWindow: 'sliding',
  rateOffsetMs: 0,
  rateCountsRefused: false,
  retryAfter: false,
  tooManyBody: 'error_object',
};
