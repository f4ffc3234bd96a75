/** What became of a chunk: of all its messages, 1–100 in one request. The `cause` in its result says why. */
export type ChunkState =
  | 'pending'
  | 'sending'
  | 'sent'
  | 'rejected'
  | 'not_sent'
  | 'unknown'
  | 'cancelled'
  | 'split';

/** Why messages must not be sent, if people see that as an outcome of its own. */
export type BarredFor = 'opted_out' | 'repeated';

/** As `BarredFor`; or the send was undone before anything was taken. */
export type UnsentFor = BarredFor | 'undone';
