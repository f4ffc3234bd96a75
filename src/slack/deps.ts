import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import type { Core } from '../core/core.ts';
import type { Access } from './access.ts';
import type { Conversations } from './conversations.ts';
import type { Replies } from './replies.ts';

/** What every listener works with. */
export interface SlackDeps {
  core: Core;
  access: Access;
  conversations: Conversations;
  replies: Replies;
  web: WebClient;
  log: Logger;
}
