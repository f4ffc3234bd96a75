import { type AskApproval, type AskDeps, createAskApproval } from './ask-approval.ts';
import { createRequestDecisions, type RequestDecisions, type RequestDeps } from './decide-request.ts';
import type { Undecided } from './decide-to-send.ts';

/** Requests that a second person decides. */
export interface Requests<View> extends RequestDecisions<View> {
  ask: AskApproval<View>;
}

export function createRequests<View extends Undecided>(
  deps: AskDeps<View> & RequestDeps<View>,
): Requests<View> {
  return { ask: createAskApproval(deps), ...createRequestDecisions(deps) };
}
