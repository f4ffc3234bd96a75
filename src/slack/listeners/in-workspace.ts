import { apologise } from '../answers/apology.ts';
import type { ReplyTo } from '../answers/replies.ts';
import { openModal } from '../forms/open-modal.ts';
import { afterAcks, type Handler, type SlackRequest } from '../requests/slack-request.ts';
import type { Message } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { depsAt, type RequestOrigin, type Workspaces } from '../workspaces/workspaces.ts';

const LOGGED = {
  command: 'a command was typed',
  click: 'a button was pressed',
  shortcut: 'a shortcut was chosen',
};

interface Arrival {
  kind: keyof typeof LOGGED;
  /** What was typed, pressed or chosen, for the log. */
  name: string;
  /** Adds to an apology what the person had typed. */
  keep?(sorry: Message): Message;
}

/** The fields of a click or a shortcut; a command is given the same shape. */
interface Body extends RequestOrigin {
  user: { id: string; team_id?: string | undefined };
  /** Absent if Slack names none. */
  channel?: { id: string; name?: string } | undefined;
  response_url?: string;
  trigger_id: string;
}

/** Slack's names for direct messages, of two people or of several. */
const DIRECT_MESSAGE = /^(?:directmessage$|mpdm-)/;

/**
 * Runs a handler after the ack, with the parts of the workspace that it acts in. A request's way through this folder:
 * Bolt → `receive…` (acks, and picks the handler) → here (the workspace; other acks first; the person; an error
 * becomes an apology) → `once` (what Slack repeats ends here, for all bots) → the handler → `core`.
 */
export async function inWorkspace(
  workspaces: Workspaces,
  { kind, name, keep = (sorry) => sorry }: Arrival,
  body: Body,
  work: Handler<SlackRequest>,
): Promise<void> {
  const { user, response_url, trigger_id: trigger } = body;
  const channel = body.channel?.id ?? '';
  const to: ReplyTo = {
    user: user.id,
    channel,
    issuedAt: Date.now(),
    responseUrl: response_url || undefined,
  };
  let deps: Pick<SlackDeps, 'log' | 'replies'> = workspaces.outside;
  try {
    const own = await depsAt(workspaces, body);
    deps = own;
    await afterAcks();
    own.log.info({ [kind]: name }, LOGGED[kind]);
    const request = `${kind}:${trigger}`;
    await work(own, {
      person: await own.access.person(user.id, user.team_id),
      channel,
      inDirectMessage: DIRECT_MESSAGE.test(body.channel?.name ?? ''),
      to,
      request,
      isFirst: () => own.core.firstTime(request),
      answer: (message) => own.replies.toPerson(to, message),
      replace: (message) => own.replies.toPerson(to, message, { replace: true }),
      open: (title, make) => openModal(own, trigger, title, make),
    });
  } catch (error) {
    await apologise(deps, error, (sorry) => deps.replies.toPerson(to, keep(sorry)));
  }
}
