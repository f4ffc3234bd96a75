import { randomBytes, randomInt } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** How long a trigger works, ms. Source: docs.slack.dev/interactivity/handling-user-interaction. */
export const TRIGGER_LIFE_MS = 3000;

/** Triggers: each allows the app to open one modal after a person did something. `now` is in ms. */
export function createTriggers(now: () => number) {
  const issued = new Map<
    string,
    { user: string; channel: string | undefined; at: number; usedBy?: string }
  >();

  /** `channel`: the conversation that the person looks at. */
  function issue(user: string, channel?: string): string {
    const id = `${randomInt(1e12)}.${randomInt(1e12)}.${randomBytes(16).toString('hex')}`;
    issued.set(id, { user, channel, at: now() });
    return id;
  }

  /**
   * Uses a trigger: `use` opens the view and returns its id. If `use` throws, the trigger still works.
   * Throws invalid_trigger_id, exchanged_trigger_id or expired_trigger_id.
   */
  function exchange(id: string, use: (user: string, channel?: string) => string): void {
    const trigger = issued.get(id);
    if (!trigger) throw new Refusal('invalid_trigger_id');
    if (trigger.usedBy !== undefined) throw new Refusal('exchanged_trigger_id');
    if (now() - trigger.at > TRIGGER_LIFE_MS) throw new Refusal('expired_trigger_id');
    trigger.usedBy = use(trigger.user, trigger.channel);
  }

  return {
    issue,
    exchange,
    /** The id of the view that the app opened with this trigger. */
    viewOf: (id: string) => issued.get(id)?.usedBy,
    reset: () => issued.clear(),
  };
}

export type Triggers = ReturnType<typeof createTriggers>;
