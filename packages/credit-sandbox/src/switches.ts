import { z } from 'zod';
import { MAX_MESSAGE_CHARACTERS } from './schema.ts';

const whole = z.number().int();
/** A delay in ms. 2^31 − 1 is the longest that setTimeout accepts. */
const ms = whole.min(1).max(2 ** 31 - 1);

/**
 * Settings for what the interface document calls "not shown", and for its limits. With a shorter limit, a test need not
 * wait a minute. You can change them while the sandbox runs. The defaults follow the document's samples. By default, if
 * part of a request is invalid or too expensive, the sandbox sends nothing.
 */
export const Switches = z.strictObject({
  /** A recipient that begins with + ("Phone format": not shown). */
  leadingPlus: z.enum(['accepted', 'refused']).default('accepted'),
  /** A recipient that begins with 0 ("Phone format"). */
  leadingZero: z.enum(['accepted', 'refused']).default('refused'),
  /** Well-formed recipients that the service refuses with a VALIDATION_ERROR all the same; a leading + is ignored. */
  refusedPhones: z.array(z.string()).default([]),
  /** Credits for each message, for each segment of a message, or for a whole request. */
  price: z
    .strictObject({ per: z.enum(['message', 'segment', 'request']), credits: whole.min(0) })
    .default({ per: 'message', credits: 1 }),
  /** If the balance covers only part of a bulk request: send nothing, or the first messages that it covers. */
  bulkShortOfCredits: z.enum(['refuse', 'send_some']).default('refuse'),
  /** If some messages of a bulk request are not valid: send nothing, or the valid ones. */
  bulkInvalid: z.enum(['refuse', 'send_rest']).default('refuse'),
  /**
   * What the service does before it refuses a bulk request (422 for a bad message, 402 for a balance that covers only
   * part). `whole`: nothing. Each other kind sends the messages before the first bad one, as far as the credits go.
   * `charges`: charges them. `rolls_back`: does not charge them. `charges_later`: charges them after `ms`.
   * `shows_old_balance`: charges them, but balance and receipts show the old figure for `ms`.
   */
  bulkRefusal: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.enum(['whole', 'charges', 'rolls_back']) }),
      z.strictObject({ kind: z.enum(['charges_later', 'shows_old_balance']), ms }),
    ])
    .default({ kind: 'whole' }),
  /** Unsent messages of a bulk request: the answer lists them with the status "failed", or leaves them out. */
  bulkUnsent: z.enum(['listed', 'omitted']).default('listed'),
  /** Order of `messages` in the bulk answer; "request" is the documented one. */
  bulkOrder: z.enum(['request', 'reversed']).default('request'),
  /** Longest text in a bulk request, in characters (code points). */
  bulkMessageCharacters: whole.min(1).default(MAX_MESSAGE_CHARACTERS),
  /** Status of a sent message. */
  status: z.string().min(1).default('sent'),
  /** The first message_id; later ones count up from it. */
  firstMessageId: whole.min(1).default(1),
  /** Whether every answer of the service also has undocumented fields. */
  extraFields: z.boolean().default(false),
  /** `error.details` of a VALIDATION_ERROR: `{ field: [sentence] }`, `[{ field, message }]`, or nothing. */
  errorDetails: z.enum(['map', 'list', 'none']).default('map'),
  /** Requests that one key may make in a window, over all endpoints ("Limits": 60). */
  rateLimit: whole.min(1).default(60),
  /** Length of the window in ms ("Limits": a minute). */
  rateWindowMs: whole.min(1).default(60_000),
  /** Sliding: no window, wherever it begins, holds more than the limit. Fixed: the count restarts at each edge. */
  rateWindow: z.enum(['sliding', 'fixed']).default('sliding'),
  /** Offset of fixed windows, in ms. With 0, a window of a minute begins at each full minute. */
  rateOffsetMs: whole.min(0).default(0),
  /** Whether a request that is refused for its rate still counts against the limit. */
  rateCountsRefused: z.boolean().default(false),
  /** Whether a 429 for the rate has `Retry-After`: whole seconds until the limit has room, if nobody asks meanwhile. */
  retryAfter: z.boolean().default(false),
  /** Body of every 429 ("Errors": not shown). */
  tooManyBody: z.enum(['error_object', 'plain_text', 'html', 'empty']).default('error_object'),
});
export type Switches = z.infer<typeof Switches>;

/** The switches to change; the others stay. */
export type SwitchesPatch = z.input<typeof Switches>;

/** The switches. `createSwitches` and `change` throw a ZodError if a name or value is not valid. */
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
