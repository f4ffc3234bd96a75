import { createOutbox, type Outbox } from '../../src/core/outbox.ts';
import type { Deliver } from '../../src/core/post-or-retry.ts';

/** A running outbox that posts by `deliver`. */
export function startOutbox({
  deliver,
  ...deps
}: Parameters<typeof createOutbox>[0] & { deliver: Deliver }): Outbox {
  const outbox = createOutbox(deps);
  outbox.start(deliver);
  return outbox;
}
