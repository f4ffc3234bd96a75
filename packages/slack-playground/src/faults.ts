import type { Json } from './types.ts';

/** What can go wrong with a call of the Web API. */
export type Fault =
  /** 429 with Retry-After, seconds. Nothing is done. */
  | { kind: 'rate_limited'; retryAfter: number }
  /** 500 with an HTML body. Nothing is done. */
  | { kind: 'server_error' }
  /** `{ok: false, error}`, with 400 by an upload_url; a download is sent to the sign-in page. Nothing is done. */
  | { kind: 'refused'; error: string }
  /**
   * `invalid_blocks` to what holds a block of this type, as by a Slack that does not know it yet. Nothing is done; calls
   * without such a block are none of the plan's.
   */
  | { kind: 'block_refused'; type: string }
  /** Nothing is done and no answer comes until reset or close. */
  | { kind: 'hang' }
  /** The work is done, then the connection is dropped. */
  | { kind: 'lost_answer' };

/** Which calls go wrong. */
export interface FaultPlan {
  /** A Web API method, `response_url`, `upload_url`, `url_private` (a download), or `*` for all of these. */
  method: string;
  fault: Fault;
  /** How many calls; 1 by default. `Infinity`: until the plans are cleared. */
  count?: number;
}

const holds = (blocks: unknown, type: string) =>
  Array.isArray(blocks) && blocks.some((block) => (block as Json | null)?.type === type);

function concerns(fault: Fault, { blocks, view }: Json): boolean {
  if (fault.kind !== 'block_refused') return true;
  return holds(blocks, fault.type) || holds((view as Json | undefined)?.blocks, fault.type);
}

export type Faults = ReturnType<typeof createFaults>;

/** Plans are used up in the order in which they were made. */
export function createFaults() {
  let plans: { method: string; fault: Fault; left: number }[] = [];

  return {
    plan({ method, fault, count = 1 }: FaultPlan): void {
      plans.push({ method, fault, left: count });
    },
    /** The fault for a call that has just come in, with its arguments read. */
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
