import type { Message } from '../../ui/blocks.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click } from './action.ts';

/** A decision that may have to wait until the bot has read the balance, and what takes the draft's place meanwhile. */
interface InPlace<Decided> {
  /** Calls `onWait` if it has to wait. */
  decide(onWait: () => Promise<void>): Promise<Decided>;
  line: Message;
  /** The draft as it is now, with its buttons. */
  draft(): Promise<Message>;
}

/**
 * Decides a draft. If that has to wait, a line takes the draft's place at once and says so. `putBack` shows the draft
 * again, for a person who can still decide.
 */
export async function decideInPlace<Decided>(
  { replies }: Pick<SlackDeps, 'replies'>,
  { to }: Pick<Click, 'to'>,
  { decide, line, draft }: InPlace<Decided>,
): Promise<{ decided: Decided; putBack(): Promise<void> }> {
  let waited = false;
  const show = (message: Message) => replies.byUrl(to, message, { replace: true });
  async function putBack(): Promise<void> {
    if (waited) await show(await draft());
  }
  async function onWait(): Promise<void> {
    waited = true;
    await show(line);
  }
  try {
    return { decided: await decide(onWait), putBack };
  } catch (error) {
    await putBack();
    throw error;
  }
}
