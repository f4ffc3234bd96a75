import type { Changes } from './changes.ts';
import type { Files } from './files.ts';
import type { AppFeatures } from './manifest.ts';
import type { Payloads } from './payloads.ts';
import type { Reactions } from './reactions.ts';
import type { Records } from './records.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { SocketHub } from './socket.ts';
import type { Triggers } from './triggers.ts';
import type { Views } from './views.ts';
import type { Workspace } from './workspace.ts';

/** The parts of a playground, as `createPlayground` joins them. */
export interface Parts {
  changes: Changes;
  features: AppFeatures;
  files: Files;
  payloads: Payloads;
  reactions: Reactions;
  records: Records;
  socket: SocketHub;
  triggers: Triggers;
  urls: ResponseUrls;
  views: Views;
  workspace: Workspace;
}
