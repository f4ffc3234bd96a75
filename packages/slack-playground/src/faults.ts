import type { Json } from './types.ts';

/** What can go wrong with a call of the Web API. */
export type Fault =
  /** 429 with Retry-After, seconds. Nothing is done. */
  | { kind: 'rate_limited'; retryAfter: number }
  /** 500 with an HTML body. Nothing is done. */
  | { kind: 'server_error' }
  /** `{ok: false, error}`; an upload_url answers it with 400, a download redirects to a sign-in page. Nothing is done. */
  | { kind: 'refused'; error: string }
  /**
   * `invalid_blocks` for calls with a block of this type, as by a Slack that does not know it yet. Nothing is done. Other
   * calls do not count.
   */
  | { kind: 'block_refused'; type: string }
  /** Nothing is done. No answer comes until `reset` or `close` drops the connection. */
  | { kind: 'hang' }
  /** The work is done, then the connection is dropped. */
  | { kind: 'lost_answer' };

/** Which calls go wrong. */
export interface FaultPlan {
  /** A Web API method, `response_url`, `upload_url`, `url_private` (a download), or `*` for all of these. */
  method: string;
  fault: Fault;
  /** How many calls; 1 by default. `Infinity`: all until `clearFaults`. */
  count?: number;
}

const holds = (blocks: unknown, type: string) =>
  Array.isArray(blocks) && blocks.some((block) => (block as Json | null)?.type === type);

function concerns(fault: Fault, { blocks, view }: Json): boolean {
  if (fault.kind !== 'block_refused') return true;
  return holds(blocks, fault.type) || holds((view as Json | undefined)?.blocks, fault.type);
}

export type Faults = ReturnType<typeof createFaults>;

/** The plans, in the order in which they were made; the first that fits a call is used. */
export function createFaults() {
  let plans: { method: string; fault: Fault; left: number }[] = [];

  return {
    plan({ method, fault, count = 1 }: FaultPlan): void {
      plans.push({ method, fault, left: count });
    },
    /** Uses a plan for this call, and returns its fault; undefined if no plan fits. */
    take(method: string, args: Json): Fault | undefined {
      const meant = (one: (typeof plans)[number]) => one.method === method || one.method === '*';
      const plan = plans.find((one) => one.left > 0 && meant(one) && concerns(one.fault, args));
      if (plan) plan.left -= 1;
      return plan?.fault;
    },
    clear(): void {
      plans = [];
    },
  };
}
