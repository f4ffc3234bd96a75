import { createApi, listen } from './api.ts';
import { createChanges } from './changes.ts';
import { createFaults } from './faults.ts';
import { createFileBytes, createFileBytesIn } from './file-bytes.ts';
import { addFileRoutes } from './file-routes.ts';
import { createFiles } from './files.ts';
import { ALL_FEATURES, featuresOf } from './manifest.ts';
import { createChatMethods } from './methods/chat.ts';
import { createConversationMethods } from './methods/conversations.ts';
import { createFileMethods } from './methods/files.ts';
import { createUserMethods } from './methods/users.ts';
import { createViewMethods } from './methods/views.ts';
import { createPayloads } from './payloads.ts';
import { createPeople } from './people.ts';
import { createPeopleInViews } from './people-in-views.ts';
import { createPeopleWithFiles } from './people-with-files.ts';
import { createReactions } from './reactions.ts';
import { createRecords } from './records.ts';
import { createResponseUrls } from './response-urls.ts';
import { APP, type App, createSeeds, person, type SeedOverrides, TEAM } from './seeds.ts';
import { PlaygroundSnapshot } from './snapshot.ts';
import { createSocketHub } from './socket.ts';
import { createTriggers } from './triggers.ts';
import type { Team } from './types.ts';
import { createViews } from './views.ts';
import { createWorkspace } from './workspace.ts';

/** How long answers under way may take when the playground closes, ms. */
const CLOSE_GRACE_MS = 200;

export interface PlaygroundOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  /** Where the bot takes events, e.g. http://127.0.0.1:3000/slack/events. Left out for Socket Mode. */
  eventsUrl?: string;
  signingSecret: string;
  botToken: string;
  /** The app-level token, for Socket Mode. */
  appToken?: string;
  team?: Team;
  /** The app that is installed; its bot shows under `name`, with a capital. */
  app?: App;
  /** The slash command that people type if none is named; /app by default. */
  command?: string;
  /** The app's manifest, as `readManifest` reads it: its Home, shortcuts and events. Without it, everything is turned on. */
  manifest?: unknown;
  seeds?: SeedOverrides;
  /** The time of messages, triggers and response_urls, ms since 1970. Requests are signed by the real time. */
  clock?: () => number;
  /** How many of the newest calls, failures and warnings are remembered; all by default. */
  keptRecords?: number;
  /** The folder for the files' bytes, which a snapshot leaves out. Without a folder they are in memory. */
  filesFolder?: string;
}

export type Playground = Awaited<ReturnType<typeof createPlayground>>;

/**
 * A Slack workspace on 127.0.0.1: the Web API, response_urls and Socket Mode as Slack's own, its refusals included,
 * and the people who use the bot. It knows Slack's protocol and nothing of the bot. Resolves once it serves.
 */
export async function createPlayground(options: PlaygroundOptions) {
  const { signingSecret, botToken, appToken = '', team = TEAM, app = APP, clock: now = Date.now } = options;
  let { eventsUrl } = options;
  let origin = '';
  const bot = person({ id: app.user_id, name: app.name, team_id: team.id, is_bot: true });
  const seeds = () => createSeeds(options.seeds, team, app);

  const features = options.manifest === undefined ? ALL_FEATURES : featuresOf(options.manifest);
  const changes = createChanges();
  const records = createRecords(changes, now, options.keptRecords);
  const workspace = createWorkspace({ seeds, bot, now, changes });
  const views = createViews(team.id, app, now, changes);
  const triggers = createTriggers(now);
  const urls = createResponseUrls(() => origin, workspace, records);
  const faults = createFaults();
  const socket = createSocketHub(app.app_id, changes);
  const bytes =
    options.filesFolder === undefined ? createFileBytes() : createFileBytesIn(options.filesFolder);
  const files = createFiles({ team, now, base: () => origin, channel: workspace.channel, bytes });
  const payloads = createPayloads(team, app, files.jsonInMessage);
  const joined = { changes, features, files, payloads, records, socket, triggers, urls, views, workspace };
  const reactions = createReactions({ ...joined, eventsUrl: () => eventsUrl, signingSecret });
  const parts = { ...joined, reactions };
  const { reset: forgetChoices, ...people } = createPeople(parts, options.command ?? '/app');
  const peopleInViews = createPeopleInViews(parts);
  const peopleWithFiles = createPeopleWithFiles(parts);

  const {
    app: web,
    settle,
    release,
  } = createApi({
    methods: {
      ...createUserMethods(workspace, team, app),
      ...createConversationMethods(workspace),
      ...createChatMethods(workspace, records, app),
      ...createViewMethods(parts),
      ...createFileMethods(workspace, files, records),
    },
    appMethods: {
      'apps.connections.open': () => ({
        url: `${origin.replace('http', 'ws')}/link?ticket=${socket.ticket()}`,
      }),
    },
    respond: (path, body) => urls.post(origin + path, body),
    botToken,
    appToken,
    faults,
    records,
  });
  addFileRoutes(web, settle, files, botToken);
  const { server, port } = await listen(web.fetch, options.port ?? 0);
  server.on('upgrade', socket.upgrade);
  origin = `http://127.0.0.1:${port}`;

  function forget(): void {
    release();
    for (const part of [workspace, views, triggers, urls, records]) part.reset();
    faults.clear();
    forgetChoices();
  }

  return {
    /** The base for Bolt's `slackApiUrl`. */
    apiUrl: `${origin}/api/`,
    port,
    team,
    /** The bot's ids. */
    bot: app,
    /** The people and channels that there are at the start. */
    ...seeds(),
    /** Sets where the bot is. With undefined, people's actions go to it by Socket Mode. */
    setEventsUrl(url: string | undefined): void {
      eventsUrl = url;
    },

    ...people,
    ...peopleInViews,
    ...peopleWithFiles,

    /** More people and channels, and who is where. */
    addUser: workspace.addUser,
    addChannel: workspace.addChannel,
    join: workspace.join,
    leave: workspace.leave,
    /** A reload of this person's client: ephemerals are gone. */
    reload: workspace.forgetEphemerals,

    /** The messages of a channel, oldest first. */
    history: workspace.history,
    user: workspace.user,
    channel: workspace.channel,
    /** All conversations, direct messages too. */
    conversations: workspace.channels,
    /** The direct message of a person with the bot. */
    directMessage: (user: string) => workspace.directMessage(user, bot.id),
    /** What only this person sees, oldest first. */
    ephemerals: workspace.ephemerals,
    /** The modals of a person, topmost last. */
    views: views.stack,
    view: views.get,
    /** What the app published as this person's Home. */
    home: views.home,
    /** What the app has turned on. */
    features,
    /** A file by its id, and its bytes. */
    file: files.get,
    fileBytes: files.read,
    /** Every call, post to a response_url and acknowledgement with a body, oldest first. */
    calls: records.calls,
    /** Blocks and views that were refused. */
    failures: records.failures,
    /** Blocks that came without a readable `text`. */
    warnings: records.warnings,

    subscribe: changes.subscribe,
    waitFor: changes.waitFor,
    /** Lets calls of the Web API or response_urls go wrong. */
    fault: faults.plan,
    clearFaults: faults.clear,
    socket: { connections: socket.connections, disconnect: socket.disconnect },

    /** Back to the seeds: nothing said, nothing open, nothing recorded, no faults. Sockets and the bot's URL stay. */
    reset(): void {
      forget();
      files.reset();
      changes.emit({ kind: 'reset' });
    },

    /**
     * What is worth keeping over a restart: conversations, what was said in them, response_urls that live, files
     * without their bytes; as JSON.
     */
    snapshot: (): PlaygroundSnapshot => ({
      workspace: workspace.snapshot(),
      urls: urls.snapshot(),
      files: files.snapshot(),
      homes: views.snapshot(),
    }),
    /** Goes on from a snapshot, or throws a ZodError. Everything else is as after a reset. */
    restore(snapshot: unknown): void {
      const kept = PlaygroundSnapshot.parse(snapshot);
      forget();
      workspace.restore(kept.workspace);
      urls.restore(kept.urls);
      files.restore(kept.files);
      views.restore(kept.homes);
      changes.emit({ kind: 'reset' });
    },

    /** Stops serving. Answers that are on their way have a moment to arrive; whatever hangs is dropped. */
    async close(): Promise<void> {
      socket.close();
      release();
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
