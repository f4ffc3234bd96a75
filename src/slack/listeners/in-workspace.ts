import { apologise, guarded, type Keep } from '../answers/apology.ts';
import type { ReplyTo } from '../answers/replies.ts';
import { afterAcks } from '../requests/slack-request.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { depsAt, type FromSomewhere } from '../workspaces/deps-at.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/**
 * Runs a handler's work after its ack, with what belongs to the workspace that it acts in. A request's way through this
 * folder: Bolt → `register…` (acks, and picks the handler) → here (the workspace; other acks first) → `guarded` (an error
 * becomes an apology) → `once` (what Slack repeats ends here, for all bots) → the handler → `core`.
 */
export async function inWorkspace(
  workspaces: Workspaces,
  { body, to, keep }: { body: FromSomewhere; to: ReplyTo; keep?: Keep | undefined },
  work: (deps: SlackDeps) => Promise<void>,
): Promise<void> {
  let deps: SlackDeps;
  try {
    deps = await depsAt(workspaces, body);
  } catch (error) {
    return apologise(workspaces.outside, to, error, keep);
  }
  await afterAcks();
  await guarded(deps, to, () => work(deps), keep);
}
