import type { Message } from '../../ui/blocks.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click } from './action.ts';

/** A decision that may have to wait for a look at the balance, and what stands in the draft's place meanwhile. */
interface InPlace<Decided> {
  /** Calls `onWait` where it waits. */
  decide(onWait: () => Promise<void>): Promise<Decided>;
  line: Message;
  /** The draft as it is now, with its buttons. */
  draft(): Promise<Message>;
}

/**
 * Decides a draft. Where that waits, a line in the draft's place says so at once. `putBack` shows the draft again: nothing
 * came of it, and the person goes on from there.
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
