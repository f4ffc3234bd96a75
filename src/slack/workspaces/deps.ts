import type { WebClient } from '@slack/web-api';
import type { Core } from '../../core/core.ts';
import type { BotIdentity } from '../../core/workspaces/installations.ts';
import { createReplies } from '../answers/replies.ts';
import type { SlackAccess } from '../connection/web-client.ts';
import { createDownload } from '../files/download-file.ts';
import { createUpload } from '../files/upload-file.ts';
import { createChangeView } from '../forms/change-view.ts';
import { createAccess } from '../people/access.ts';
import { createConversations } from '../people/conversations.ts';
import { createRights } from '../people/rights.ts';

/** What is the same in every workspace. */
export interface WorkspaceOptions {
  core: Core;
  slack: SlackAccess;
  /** Slack user ids: admins beside those of the workspace. */
  admins: readonly string[];
}

export type SlackDeps = ReturnType<typeof createSlackDeps>;

/** What listeners work with in one workspace, with nothing of any other. */
export function createSlackDeps(
  { core: allCore, slack: { apiUrl, log, onCall }, admins }: WorkspaceOptions,
  identity: BotIdentity & { web: WebClient },
) {
  const { web, team, botToken } = identity;
  const core = allCore.forTeam(team);
  const access = createAccess({ ...identity, admins });
  const conversations = createConversations({ web, core });
  return {
    team,
    core,
    access,
    conversations,
    rights: createRights({ core, access, conversations }),
    replies: createReplies({ web, onCall }),
    files: { download: createDownload({ web, botToken, apiUrl, log }), toPerson: createUpload(web) },
    changeView: createChangeView(web),
    /** User ids of people whose export of the history is under way in this process. */
    exporting: new Set<string>(),
    web,
    log,
  };
}
