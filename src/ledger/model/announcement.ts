import type { Json } from './json.ts';

/** Makes an outbox row due. The same id again makes it due once more, with new details. */
export interface Announcement {
  id: string;
  topic: string;
  subject: string;
  details: Json;
  /** The row is due this long after its last post, at the earliest. A later announcement need not repeat it. */
  spacingMs?: number;
}
