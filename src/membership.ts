import type { RequestListener } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { WebClient } from '@slack/web-api';
import { systemClock } from './core/clock.ts';
import { createInstallations } from './core/workspaces/installations.ts';
import { createRemovals, type Removals } from './core/workspaces/removals.ts';
import type { OpenStore } from './data/data.ts';
import { findWorkspace, stateOfToken, workspacesOfToken } from './slack/connection/ask-about-token.ts';
import { createInstallRoutes, createTokenExchange, type OAuthApp } from './slack/connection/install.ts';
import { createWebClient, type SlackAccess } from './slack/connection/web-client.ts';
import { createSlackDeps, type WorkspaceOptions } from './slack/workspaces/deps.ts';
import {
  createOneWorkspace,
  createSeveralWorkspaces,
  type Workspaces,
} from './slack/workspaces/workspaces.ts';

/** How the bot gets the workspaces that it works in. */
interface Membership {
  /** The id of the workspace, if there is only one. */
  team?: string;
  join(shared: WorkspaceOptions): Workspaces;
  /** Answers the browsers of people who install the bot. */
  routes?: RequestListener;
  removals?: Removals;
  /** Resolves when everything is in the store. Call it before the store closes. */
  stop?(): Promise<void>;
}

/** The bot serves the one workspace of a configured token. @throws SlackStartError */
export async function byToken(
  bot: { web: WebClient; botToken: string },
  { records }: OpenStore,
  slack: SlackAccess,
): Promise<Membership> {
  const workspace = await findWorkspace(bot.botToken, slack);
  const { team } = workspace;
  // `getMany` leaves out a damaged record, so the bot writes that one again.
  const [known] = await records.workspaces.getMany([team]);
  const firstSeenAt = known?.firstSeenAt ?? Date.now();
  const met = { ...workspace, firstSeenAt };
  // A start that learns nothing new writes nothing, so it needs no replica.
  if (!isDeepStrictEqual(met, known)) await records.workspaces.set(team, met);
  return { team, join: (shared) => createOneWorkspace(createSlackDeps(shared, { team, ...bot })) };
}

/** The bot serves any number of workspaces, which install it themselves. */
export function byInstallation(oauth: OAuthApp, store: OpenStore, slack: SlackAccess): Membership {
  const { ledger, records, cipher } = store;
  const { log } = slack;
  const clock = systemClock;
  const refresh = createTokenExchange(oauth, slack);
  const workspacesOf = (token: string) => workspacesOfToken(createWebClient(token, slack));
  const installations = createInstallations({ records, ledger, cipher, clock, log, refresh, workspacesOf });
  const { accessOf, tokenOf } = installations;
  const tokenStateOf = (id: string) => stateOfToken(() => tokenOf(id), slack);
  return {
    join: (shared) => createSeveralWorkspaces(shared, installations),
    routes: createInstallRoutes(oauth, slack, installations.save),
    removals: createRemovals({ ledger, records, clock, log, accessOf, tokenStateOf }),
    stop: installations.stop,
  };
}
