import { randomUUID } from 'node:crypto';
import type { SlackDeps } from '../workspaces/deps.ts';

/**
 * The dependencies with a log that puts one `request` at all that comes of this command, click or form. Where a send is made
 * or decided, its line has the `send` too, which everything after that is logged with.
 */
export function withRequestLog(deps: SlackDeps): SlackDeps {
  return { ...deps, log: deps.log.child({ request: randomUUID().slice(0, 8) }) };
}
