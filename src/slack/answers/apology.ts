import { randomBytes } from 'node:crypto';
import { storeTroubleOf } from '../../core/store-trouble.ts';
import { ModalError } from '../connection/slack-error.ts';
import { AccessError } from '../people/access.ts';
import { NOT_INSTALLED, SLACK_TROUBLE, unforeseen } from '../ui/apologies.ts';
import type { Message } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { NotInstalledError } from '../workspaces/workspaces.ts';

/** Somebody may not do what they asked for. Whoever asked reads `told`, where they would read the answer. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly told: Message;

  constructor(told: Message) {
    super('a request was refused');
    this.told = told;
  }
}

/** Ends a request if there is a refusal. @throws RefusedError */
export function refuseIf(refusal: Message | false | undefined): void {
  if (refusal) throw new RefusedError(refusal);
}

/** Logs an error, and returns the sentence for the person. If the sentence ends in a reference, search the log for it. */
export function apology({ log }: Pick<SlackDeps, 'log'>, error: unknown): Message {
  if (error instanceof RefusedError) return error.told;
  if (error instanceof NotInstalledError) {
    log.warn({ err: error }, 'somebody used the bot where it is not installed; the bot did nothing');
    return NOT_INSTALLED;
  }
  if (error instanceof AccessError) {
    log.warn({ err: error }, 'Slack did not say who a person is; the bot did nothing');
    return SLACK_TROUBLE;
  }
  if (error instanceof ModalError) {
    log.warn({ err: error.cause }, 'Slack did not open the modal; the bot did nothing');
    return SLACK_TROUBLE;
  }
  const reference = randomBytes(4).toString('hex');
  log.error({ err: error, reference }, 'a request could not be carried out');
  return unforeseen(storeTroubleOf(error) ?? 'broke', reference);
}

/** Tells a person that something broke, by `say`. Never rejects. */
export async function apologise(
  deps: Pick<SlackDeps, 'log'>,
  error: unknown,
  say: (sorry: Message) => Promise<unknown>,
): Promise<void> {
  await say(apology(deps, error)).catch((failed: unknown) => {
    deps.log.error({ err: failed }, 'an apology could not be delivered');
  });
}
