import { randomBytes } from 'node:crypto';
import type { View } from '@slack/types';
import { storeTroubleOf } from '../../core/store-trouble.ts';
import { ModalError } from '../connection/slack-error.ts';
import { AccessError } from '../people/access.ts';
import { NOT_INSTALLED, SLACK_TROUBLE, somethingBroke, storeAway, storeEmptied } from '../ui/apologies.ts';
import type { Message } from '../ui/blocks.ts';
import { noticeView } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { NotInstalledError } from '../workspaces/workspaces.ts';
import type { ReplyTo } from './replies.ts';

/** Adds to a refusal what the person had typed. */
export type Keep = (refusal: Message) => Message;

/** Logs an error, and returns the sentence for the person. If the sentence ends in a reference, search the log for it. */
export function apology({ log }: Pick<SlackDeps, 'log'>, error: unknown): Message {
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
  const trouble = storeTroubleOf(error);
  if (trouble === 'emptied') return storeEmptied(reference);
  return trouble === 'away' ? storeAway(reference) : somethingBroke(reference);
}

/** Tells a person that something broke. Never rejects. */
export async function apologise(
  deps: Pick<SlackDeps, 'log' | 'replies'>,
  to: ReplyTo,
  error: unknown,
  keep: Keep = (message) => message,
): Promise<void> {
  const message = keep(apology(deps, error));
  await deps.replies.toPerson(to, message).catch((failed: unknown) => {
    deps.log.error({ err: failed }, 'an apology could not be delivered');
  });
}

/** The sentence of `apology` as a view, if the bot fails while it builds a modal. */
export function apologyView(deps: Pick<SlackDeps, 'log'>, error: unknown, title: string): View {
  return noticeView(title, apology(deps, error).text);
}
