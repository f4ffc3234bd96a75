import type { SendDetailsChange } from './decision-types.ts';
import type { Json } from './json.ts';
import type { ChunkState } from './outcome-types.ts';

/** Words to a number, as the repeat guard knows them. */
export interface Words {
  /** The keyed hash of both. */
  hash: string;
  /** For how long the bot asks before it sends them there again, in ms. */
  repeatGuardMs: number;
}

/** A send of the same words to the same number: who sent it and when. `state` is its chunk's. */
export interface SameWords {
  send: string;
  by: string;
  at: number;
  state: ChunkState;
}

/** How a draft changes when it gets chunks that repeat other sends. `keeps`: what stays if somebody withdraws it. */
export interface DraftRepeats {
  details: SendDetailsChange;
  keeps: Json;
}
