import type { SendDetailsChange } from './decision-types.ts';
import type { Json } from './json.ts';
import type { ChunkState } from './outcome-types.ts';

/** Words to a number, as the repeat guard knows them: by a keyed hash of both. */
export interface Words {
  hash: string;
  /** For how long nobody else sends them there without being asked, in ms. */
  repeatGuardMs: number;
}

/** A send of the same words to the same number: who sent it and when. `state` is its chunk's. */
export interface SameWords {
  send: string;
  by: string;
  at: number;
  state: ChunkState;
}

/** What a draft becomes with chunks that repeat what others sent: merged into its details, and what stays of them. */
export interface DraftRepeats {
  details: SendDetailsChange;
  keeps: Json;
}
