import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import type { TeamCore } from '../../core/team-core.ts';
import type { Replies } from '../answers/replies.ts';
import type { Download } from '../files/download-file.ts';
import type { UploadToPerson } from '../files/upload-file.ts';
import type { Access } from '../people/access.ts';
import type { Conversations } from '../people/conversations.ts';

/** Files between people and the bot. */
export interface Files {
  download: Download;
  toPerson: UploadToPerson;
}

/** What every listener works with. */
export interface SlackDeps {
  /** The workspace that they work in. */
  team: string;
  core: TeamCore;
  access: Access;
  conversations: Conversations;
  replies: Replies;
  files: Files;
  web: WebClient;
  log: Logger;
}
