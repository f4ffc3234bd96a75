import { z } from 'zod';
import type { Core } from '../../core/core.ts';
import type { Deliver } from '../../core/post-or-retry.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { deliver } from './deliver.ts';

/** The details of a row that is not about a send. */
const OfWorkspace = z.object({ team: z.string() });

/** Posts an outbox row as the bot of the workspace that it belongs to. */
export function createDeliverByWorkspace(deps: {
  core: Pick<Core, 'teamOf'>;
  workspaces: Workspaces;
}): Deliver {
  const { core, workspaces } = deps;
  return async (row) => {
    const team = OfWorkspace.safeParse(row.details).data?.team ?? (await core.teamOf(row.subject));
    if (team === undefined) return { kind: 'dropped', why: 'the send is gone' };
    let own: SlackDeps | undefined;
    try {
      own = await workspaces.of(team);
    } catch (error) {
      workspaces.outside.log.warn({ err: error, team }, 'there is no token to post a message with');
      return { kind: 'refused' };
    }
    return own ? deliver(own, row) : { kind: 'dropped', why: 'the bot is not installed there any more' };
  };
}
