import { z } from 'zod';

/** The endpoints of the service ("Endpoints"). */
export const endpoints = ['balance', 'send', 'bulk'] as const;
export type Endpoint = (typeof endpoints)[number];

const scope = {
  /** Which requests the fault affects: "texts" is send and bulk, "any" is each of the three. */
  endpoint: z.enum([...endpoints, 'texts', 'any']).default('any'),
  /** How many matching requests pass first. */
  skip: z.number().int().min(0).default(0),
  /** How many matching requests the fault affects after that. */
  times: z.union([z.number().int().min(1), z.literal('always')]).default(1),
  /** How long the request is held before the fault shows, in ms. */
  ms: z.number().int().min(0).default(0),
};

/** Whether the fault comes before the service processes and charges the request, or after. `delay` always charges. */
const when = z.enum(['before', 'after']).default('after');

/**
 * Something that goes wrong, and for which requests. The first fault that matches a request applies to it, whichever key
 * the request has. If the client leaves while the request is held, the service still finishes it.
 */
export const Fault = z.discriminatedUnion('kind', [
  /** The right answer, `ms` late: "before" is charged at the end of the wait, "after" at its start. */
  z.strictObject({ kind: z.literal('delay'), ...scope, ms: z.number().int().min(1), when }),
  /** No answer: the connection is reset (RST), or stays open. */
  z.strictObject({ kind: z.enum(['reset', 'hang']), ...scope, when }),
  /** Half of the right answer's body; then the connection ends, or stays open. Charged. */
  z.strictObject({ kind: z.enum(['truncate', 'stall']), ...scope }),
  /** The right answer's status with a body that is not JSON. Charged. */
  z.strictObject({ kind: z.literal('garbage'), ...scope }),
  /** 500 SERVER_ERROR as documented ("Errors"), or 502 with the HTML page of a proxy. */
  z.strictObject({ kind: z.enum(['server_error', 'bad_gateway']), ...scope, when }),
  /** 429 as for a request over the rate, or 401 INVALID_API_KEY as for a revoked key. Not charged. */
  z.strictObject({ kind: z.enum(['rate_limited', 'key_revoked']), ...scope }),
  /** 402 INSUFFICIENT_CREDITS for a valid send, whatever the balance. Not charged; never strikes a balance request. */
  z.strictObject({ kind: z.literal('no_credits'), ...scope }),
  /** Exactly this answer. */
  z.strictObject({
    kind: z.literal('answer'),
    ...scope,
    when,
    status: z.number().int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(''),
  }),
]);
/** A fault with all its fields. */
export type Fault = z.infer<typeof Fault>;
/** A fault as you write it: `{ kind: 'reset' }` resets the next request of any endpoint, after its charge. */
export type FaultInput = z.input<typeof Fault>;

/** The pending faults, in the order in which they were added. */
export type FaultQueue = ReturnType<typeof createFaultQueue>;

export function createFaultQueue() {
  let queue: Fault[] = [];

  function matches(fault: Fault, endpoint: Endpoint): boolean {
    if (fault.kind === 'no_credits' && endpoint === 'balance') return false;
    if (fault.endpoint === 'texts') return endpoint !== 'balance';
    return fault.endpoint === 'any' || fault.endpoint === endpoint;
  }

  /**
   * Takes the fault for a request that arrives now, and lowers its `times`. Lowers `skip` of matching faults that are not
   * due yet. null if no fault applies.
   */
  function take(endpoint: Endpoint): Fault | null {
    for (const fault of queue) {
      if (!matches(fault, endpoint)) continue;
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      if (fault.times !== 'always') fault.times -= 1;
      queue = queue.filter((one) => one.times !== 0);
      return fault;
    }
    return null;
  }

  return {
    /** Throws a ZodError if it is not a fault. */
    add: (fault: FaultInput) => void queue.push(Fault.parse(fault)),
    take,
    /** Copies of the pending faults, with their remaining `skip` and `times`. */
    list: () => structuredClone(queue),
    clear: () => {
      queue = [];
    },
  };
}
