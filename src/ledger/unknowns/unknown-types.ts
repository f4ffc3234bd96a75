import type { AccountRecord } from '../accounts/account-types.ts';
import type { ChunkRecord, ChunkRef, Undecidable } from '../model/chunk-record.ts';
import type { Json } from '../model/json.ts';
import type { SendKind } from '../model/send-record.ts';

/** Asks for unknown chunks that need a decision: of a workspace, or of one channel of it. */
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

/** What a search for evidence needs: the baseline, and the unknown chunks without evidence. */
export interface EvidenceCase {
  account: AccountRecord;
  unknowns: ChunkRecord[];
  /** When the last deadline of these chunks passes. */
  readyAt: number;
}

/** Evidence on one unknown chunk. `charge`: the chunk's cost in credits, if the evidence shows one. */
export interface FoundEvidence {
  ref: ChunkRef;
  evidence: Json;
  charge?: number;
}
