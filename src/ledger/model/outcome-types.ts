/**
 * What has become of a chunk: 1–100 messages that travel in one request. Each of them has the same outcome. Its reason is
 * the `cause` of the chunk's result.
 */
export type ChunkState =
  | 'pending'
  | 'sending'
  | 'sent'
  | 'rejected'
  | 'not_sent'
  | 'unknown'
  | 'cancelled'
  | 'split';

/** Why messages must not be sent, where people see that as an outcome of its own. */
export type BarredFor = 'opted_out' | 'repeated';

/** As `BarredFor`; or the send was undone before anything was taken. */
export type UnsentFor = BarredFor | 'undone';
