import type { Json } from './json.ts';

/** An outbox row to be made due; the same id again makes it due once more, with its new details. */
export interface Announcement {
  id: string;
  topic: string;
  subject: string;
  details: Json;
  /**
   * It is due no sooner than `spacingMs` after it was last posted. Kept with the row: a later announcement need not
   * repeat it.
   */
  spacingMs?: number;
}
