import { createHmac } from 'node:crypto';

/** `x-slack-signature`, version 0. Source: docs.slack.dev/authentication/verifying-requests-from-slack. */
export function sign(secret: string, timestamp: number, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}
