import { type Changes, createChanges } from './changes.ts';
import { createFileBytes, createFileBytesIn } from './file-bytes.ts';
import { createFiles, type Files } from './files.ts';
import { ALL_FEATURES, type AppFeatures, featuresOf } from './manifest.ts';
import { createPayloads, type Payloads } from './payloads.ts';
import { createReactions, type Reactions } from './reactions.ts';
import { createRecords, type Records } from './records.ts';
import { createResponseUrls, type ResponseUrls } from './response-urls.ts';
import { APP, createSeeds, person, TEAM } from './seeds.ts';
import type { PlaygroundOptions } from './server.ts';
import { createSocketHub, type SocketHub } from './socket.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import { createViews, type Views } from './views.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** The parts of a playground. */
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

/** Makes the parts and connects them. `origin` returns this server's address, `eventsUrl` the app's. */
export function joinParts(
  options: PlaygroundOptions,
  origin: () => string,
  eventsUrl: () => string | undefined,
): Parts {
  const { signingSecret, manifest, filesFolder, team = TEAM, app = APP, clock: now = Date.now } = options;
  const bot = person({ id: app.user_id, name: app.name, team_id: team.id, is_bot: true });
  const seeds = () => createSeeds(options.seeds, team, app);
  const features = manifest === undefined ? ALL_FEATURES : featuresOf(manifest);
  const bytes = filesFolder === undefined ? createFileBytes() : createFileBytesIn(filesFolder);
  const changes = createChanges();
  const records = createRecords(changes, now, options.keptRecords);
  const workspace = createWorkspace({ seeds, bot, now, changes });
  const views = createViews(team.id, app, now, changes);
  const triggers = createTriggers(now);
  const urls = createResponseUrls(origin, workspace, records);
  const socket = createSocketHub(app.app_id, changes);
  const files = createFiles({ team, now, base: origin, channel: workspace.channel, bytes });
  const payloads = createPayloads(team, app, files.jsonInMessage);
  const joined = { changes, features, files, payloads, records, socket, triggers, urls, views, workspace };
  return { ...joined, reactions: createReactions({ ...joined, eventsUrl, signingSecret }) };
}
