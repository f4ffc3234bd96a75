import type { Steps } from '../../store/steps.ts';
import type { BalanceMarker } from '../accounts/account-types.ts';
import type { ChunkRecord, LedgerMessage, SendRecord, UnknownChunks } from '../model/types.ts';
import * as evidence from './evidence.ts';
import type {
  EvidenceCase,
  FoundEvidence,
  UndecidedChunk,
  UndecidedQuery,
  UnknownDecided,
} from './unknown-types.ts';
import * as unknowns from './unknowns.ts';

/** Chunks whose fate is unknown: evidence, and what people say. */
export interface UnknownLedger {
  /**
   * Writes down a person's word that these unknown chunks were sent: all of them, once, or none. They stay unknown, and
   * no credits are booked: the word is no receipt. One of any number of callers wins.
   */
  saySent(chunks: UnknownChunks, by: string): Promise<UnknownDecided>;
  /** Takes unknown chunks off what waits for a decision: all of them or none. They may still be decided afterwards. */
  leaveUnknown(chunks: UnknownChunks, by: string): Promise<UnknownDecided>;
  /** The messages of these chunks that were sent after all, by a late answer; and those of chunks that they repeated. */
  sentAfterAll(chunks: UnknownChunks): Promise<LedgerMessage[]>;
  /** Unknown chunks that need a person's decision, oldest first; of one team if given. */
  unknowns(team?: string): Promise<{ send: SendRecord; chunk: ChunkRecord }[]>;
  /** The newest of a workspace or channel, newest first, without words or numbers: cheap to read, however many there are. */
  undecided(query: UndecidedQuery): Promise<UndecidedChunk[]>;
  evidenceCase(account: string): Promise<EvidenceCase | undefined>;
  /** Writes evidence for the case's unknowns, with a new baseline at `credits`; false when the account was not quiet. */
  recordEvidence(marker: BalanceMarker, credits: number, evidence: FoundEvidence[]): Promise<boolean>;
}

export function createUnknownLedger(run: Steps['run']): UnknownLedger {
  return {
    saySent: (chunks, by) => run((view) => unknowns.saySent(view, chunks, by)),
    leaveUnknown: (chunks, by) => run((view) => unknowns.leaveUnknown(view, chunks, by)),
    sentAfterAll: (chunks) => run((view) => unknowns.sentAfterAll(view, chunks)),
    unknowns: (team) => run((view) => unknowns.unknowns(view, team)),
    undecided: (query) => run((view) => unknowns.undecided(view, query)),
    evidenceCase: (account) => run((view) => evidence.evidenceCase(view, account)),
    recordEvidence: (marker, credits, found) =>
      run((view) => evidence.recordEvidence(view, marker, credits, found)),
  };
}
