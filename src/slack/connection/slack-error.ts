import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';

/** The word with which Slack refused a call, such as "not_in_channel"; undefined if it gave none. */
export function slackErrorOf(error: unknown): string | undefined {
  return error instanceof WebAPIPlatformError ? error.data.error : undefined;
}

/** Slack's word for blocks that are unknown to it, or not allowed there. */
export const INVALID_BLOCKS = 'invalid_blocks';

/** Whether Slack refused because the person has closed the view: docs.slack.dev/reference/methods/views.update. */
export function isViewGone(error: unknown): boolean {
  return slackErrorOf(error) === 'not_found';
}

/** Whether Slack refused because the view has changed since its `hash` was made. */
export function isViewChanged(error: unknown): boolean {
  return slackErrorOf(error) === 'hash_conflict';
}

/** After a 429 that does not say how long to wait, in s. */
const RETRY_AFTER_S = 30;
/** The longest wait after a 429, in ms. If Slack asked for more, it refuses once more, which does no harm. */
const LONGEST_WAIT_MS = 600_000;

/** How long to wait after a 429, in ms. `retryAfter`: its header, in seconds, if it has one. */
export function waitAfter429(retryAfter: unknown): number {
  return Math.min((Number(retryAfter) || RETRY_AFTER_S) * 1000, LONGEST_WAIT_MS);
}

/** How long to wait before the next try, in ms; undefined if the error is no 429. */
export function slackWaitOf(error: unknown): number | undefined {
  return error instanceof WebAPIRateLimitedError
    ? Math.min(error.retryAfter * 1000, LONGEST_WAIT_MS)
    : undefined;
}

/** Refusals after which Slack may still have done the work. */
export const UNSURE: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'request_timeout',
  'service_unavailable',
]);

/** Whether this proves that Slack did nothing. */
export function provesRefusal(error: unknown): boolean {
  if (slackWaitOf(error) !== undefined) return true;
  const word = slackErrorOf(error);
  return word !== undefined && !UNSURE.has(word);
}

/** Slack opened no modal, so the bot began nothing. */
export class ModalError extends Error {
  override readonly name = 'ModalError';
  readonly code = 'modal_not_opened';
}

/** Slack does not let the bot in: `message` says what was refused and where to look. */
export class SlackStartError extends Error {
  override readonly name = 'SlackStartError';
  readonly code = 'slack_start';
}
