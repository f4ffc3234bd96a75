import { createApi, listen } from './api.ts';
import { createFaults } from './faults.ts';
import { addFileRoutes } from './file-routes.ts';
import { createChatMethods } from './methods/chat.ts';
import { createConversationMethods } from './methods/conversations.ts';
import { createFileMethods } from './methods/files.ts';
import { createUserMethods } from './methods/users.ts';
import { createViewMethods } from './methods/views.ts';
import { joinParts } from './parts.ts';
import { createPeople } from './people.ts';
import { createPeopleInViews } from './people-in-views.ts';
import { createPeopleWithFiles } from './people-with-files.ts';
import { createPeopleWithShortcuts } from './people-with-shortcuts.ts';
import { APP, type App, createSeeds, type SeedOverrides, TEAM } from './seeds.ts';
import { PlaygroundSnapshot } from './snapshot.ts';
import type { Team } from './types.ts';

/** How long open requests and connections may still take when the playground closes, ms. */
const CLOSE_GRACE_MS = 200;

export interface PlaygroundOptions {
  /** 0, the default, is any free port. */
  port?: number;
  /** The app's address for requests, e.g. http://127.0.0.1:3000/slack/events; left out for Socket Mode. */
  eventsUrl?: string;
  signingSecret: string;
  botToken: string;
  /** The app-level token, for Socket Mode. */
  appToken?: string;
  team?: Team;
  /** The ids of the installed app, and its bot's name, which people read with a capital. */
  app?: App;
  /** The slash command that `command()` types if none is given; /app by default. */
  command?: string;
  /** The app's manifest, from `readManifest`: its Home, shortcuts and events. Without it, everything is turned on. */
  manifest?: unknown;
  seeds?: SeedOverrides;
  /** The time of messages, triggers and response_urls, ms since 1970. Signatures use the real time. */
  clock?: () => number;
  /** How many calls, failures and warnings are kept, the newest; all by default. */
  keptRecords?: number;
  /** The folder for the bytes of files, which are not in a snapshot. Without a folder they are in memory. */
  filesFolder?: string;
}

export type Playground = Awaited<ReturnType<typeof createPlayground>>;

/**
 * A Slack workspace on 127.0.0.1: the Web API, response_urls and Socket Mode, with Slack's refusals, and the people who
 * use the app. Resolves once it serves.
 */
export async function createPlayground(options: PlaygroundOptions) {
  const { botToken, appToken = '', team = TEAM, app = APP } = options;
  let { eventsUrl } = options;
  let origin = '';
  const parts = joinParts(
    options,
    () => origin,
    () => eventsUrl,
  );
  const { changes, features, files, records, socket, triggers, urls, views, workspace } = parts;
  const faults = createFaults();
  const { reset: forgetChoices, ...people } = createPeople(parts, options.command ?? '/app');

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
    /** The people and channels as they are at the start. */
    ...createSeeds(options.seeds, team, app),
    /** Sets the app's address for requests; undefined: the app uses Socket Mode. */
    setEventsUrl(url: string | undefined): void {
      eventsUrl = url;
    },

    ...people,
    ...createPeopleInViews(parts),
    ...createPeopleWithFiles(parts),
    ...createPeopleWithShortcuts(parts),

    /** Add people and channels; people join and leave channels. */
    addUser: workspace.addUser,
    addChannel: workspace.addChannel,
    join: workspace.join,
    leave: workspace.leave,
    /** Reloads this person's client: their ephemeral messages are gone. */
    reload: workspace.forgetEphemerals,

    /** The messages of a channel, oldest first. */
    history: workspace.history,
    user: workspace.user,
    channel: workspace.channel,
    /** All conversations, direct messages too. */
    conversations: workspace.channels,
    /** The direct message of a person with the bot. */
    directMessage: (user: string) => workspace.directMessage(user, app.user_id),
    /** What only this person sees, oldest first. */
    ephemerals: workspace.ephemerals,
    /** The modals of a person, topmost last. */
    views: views.stack,
    view: views.get,
    /** What the app published as this person's Home. */
    home: views.home,
    /** The features that the app has turned on. */
    features,
    /** A file by its id, and its bytes. */
    file: files.get,
    fileBytes: files.read,
    /** Each call, post to a response_url and acknowledgement with a body, oldest first. */
    calls: records.calls,
    /** The blocks and views that Slack refused. */
    failures: records.failures,
    /** The messages that had blocks but no readable `text`. */
    warnings: records.warnings,

    subscribe: changes.subscribe,
    waitFor: changes.waitFor,
    /** Makes calls of the Web API, or posts to response_urls, go wrong. */
    fault: faults.plan,
    clearFaults: faults.clear,
    socket: { connections: socket.connections, disconnect: socket.disconnect },

    /** Resets everything to the seeds, records and faults included. Sockets and the app's address stay. */
    reset(): void {
      forget();
      files.reset();
      changes.emit({ kind: 'reset' });
    },

    /**
     * What a restart should keep, as JSON: conversations with their messages, response_urls that still work, Homes, files
     * without their bytes.
     */
    snapshot: (): PlaygroundSnapshot => ({
      workspace: workspace.snapshot(),
      urls: urls.snapshot(),
      files: files.snapshot(),
      homes: views.snapshot(),
    }),
    /** Continues from a snapshot; everything else is as after a reset. Throws a ZodError for anything else. */
    restore(snapshot: unknown): void {
      const kept = PlaygroundSnapshot.parse(snapshot);
      forget();
      workspace.restore(kept.workspace);
      urls.restore(kept.urls);
      files.restore(kept.files);
      views.restore(kept.homes);
      changes.emit({ kind: 'reset' });
    },

    /** Stops serving. Open requests and connections have a moment to end; then it drops them. */
    async close(): Promise<void> {
      socket.close();
      release();
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => {
        socket.disconnect('drop');
        server.closeAllConnections();
      }, CLOSE_GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
