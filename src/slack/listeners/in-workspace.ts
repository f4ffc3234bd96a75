import { apologise, guarded, type Keep } from '../apology.ts';
import type { SlackDeps } from '../deps.ts';
import { type FromSomewhere, placeOf } from '../place-of.ts';
import type { ReplyTo } from '../replies.ts';
import { withRequestLog } from '../request-log.ts';
import type { Workspaces } from '../workspaces.ts';

/** Runs a handler's work after its ack, with what belongs to the workspace that it acts in. */
export async function inWorkspace(
  workspaces: Workspaces,
  { body, to, keep }: { body: FromSomewhere; to: ReplyTo; keep?: Keep | undefined },
  work: (deps: SlackDeps) => Promise<void>,
): Promise<void> {
  let deps: SlackDeps;
  try {
    deps = withRequestLog(await workspaces.at(placeOf(body)));
  } catch (error) {
    return apologise(workspaces.outside, to, error, keep);
  }
  await guarded(deps, to, () => work(deps), keep);
}
