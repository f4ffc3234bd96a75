import type { AccountRecord } from '../accounts/account-types.ts';
import type { ChunkRecord, ChunkRef, Undecidable } from '../model/chunk-record.ts';
import type { Json } from '../model/json.ts';
import type { SendKind } from '../model/send-record.ts';

/** Whose unknown chunks that need a decision: of a workspace, or of one channel of it. */
export interface UndecidedQuery {
  team: string;
  channelId?: string;
  kind: SendKind;
  limit: number;
}

/** An unknown chunk that needs a decision, and how many messages it holds. */
export interface UndecidedChunk {
  ref: ChunkRef;
  messages: number;
}

/** What came of a person's decision on unknown chunks. */
export type UnknownDecided = { won: true } | { won: false; why: Undecidable };

/** What evidence needs: the baseline, and the unknown chunks that have none yet. */
export interface EvidenceCase {
  account: AccountRecord;
  unknowns: ChunkRecord[];
  /** From when on all of the unknowns' deadlines have passed. */
  readyAt: number;
}

/** Evidence on one unknown chunk. `charge`: what the chunk cost by it, in credits, if it says so. */
export interface FoundEvidence {
  ref: ChunkRef;
  evidence: Json;
  charge?: number;
}
