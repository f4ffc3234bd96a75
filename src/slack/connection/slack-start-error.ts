/** Slack does not let the bot in: `message` says what was refused and where to look. */
export class SlackStartError extends Error {
  override readonly name = 'SlackStartError';
  readonly code = 'slack_start';
}
