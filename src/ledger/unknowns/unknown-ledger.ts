import type { Steps } from '../../store/steps.ts';
import { asMethods } from '../model/as-methods.ts';
import { evidenceCase, recordEvidence } from './evidence.ts';
import { leaveUnknown, saySent, sentAfterAll, undecided, unknowns } from './unknowns.ts';

/** Chunks whose fate is unknown: evidence, and what people say. */
export function createUnknownLedger(run: Steps['run']) {
  return asMethods(run, {
    saySent,
    leaveUnknown,
    sentAfterAll,
    unknowns,
    undecided,
    evidenceCase,
    recordEvidence,
  });
}
