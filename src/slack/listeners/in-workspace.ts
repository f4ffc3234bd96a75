import { apologise, type Keep } from '../answers/apology.ts';
import type { ReplyTo } from '../answers/replies.ts';
import { afterAcks, type Handler, type SlackRequest } from '../requests/slack-request.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { depsAt, type RequestOrigin } from '../workspaces/workspace-of-request.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

const LOGGED = {
  command: 'a command was typed',
  click: 'a button was pressed',
  shortcut: 'a shortcut was chosen',
};

interface Arrival {
  kind: keyof typeof LOGGED;
  /** What was typed, pressed or chosen, for the log. */
  name: string;
  body: RequestOrigin;
  user: string;
  /** The workspace that the person belongs to, if Slack names it. */
  homeTeam: string | undefined;
  /** Empty if Slack names none. */
  channel: string;
  responseUrl: string | undefined;
  triggerId: string;
  keep?: Keep | undefined;
}

/**
 * Runs a handler after the ack, with the parts of the workspace that it acts in. A request's way through this folder:
 * Bolt → `receive…` (acks, and picks the handler) → here (the workspace; other acks first; the person; an error
 * becomes an apology) → `once` (what Slack repeats ends here, for all bots) → the handler → `core`.
 */
export async function inWorkspace(
  workspaces: Workspaces,
  { kind, name, body, user, homeTeam, channel, responseUrl, triggerId, keep }: Arrival,
  work: Handler<SlackRequest>,
): Promise<void> {
  const to: ReplyTo = { user, channel, issuedAt: Date.now(), responseUrl: responseUrl || undefined };
  let deps: Pick<SlackDeps, 'log' | 'replies'> = workspaces.outside;
  try {
    const own = await depsAt(workspaces, body);
    deps = own;
    await afterAcks();
    own.log.info({ [kind]: name }, LOGGED[kind]);
    const request = `${kind}:${triggerId}`;
    await work(own, {
      person: await own.access.person(user, homeTeam),
      channel,
      triggerId,
      to,
      request,
      isFirst: () => own.core.firstTime(request),
      answer: (message) => own.replies.toPerson(to, message),
      replace: (message) => own.replies.toPerson(to, message, { replace: true }),
    });
  } catch (error) {
    await apologise(deps, to, error, keep);
  }
}
