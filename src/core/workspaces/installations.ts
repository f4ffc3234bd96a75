import { defined } from '../../ledger/model/defined.ts';
import type { Records } from '../../records/records.ts';
import { createShortCache } from '../short-cache.ts';
import { isActive } from './is-served.ts';
import { createTokens, type TokenDeps, type Tokens } from './tokens.ts';

/** A workspace. `enterprise`: its organisation, if that installed the bot for all of its workspaces. */
export interface Place {
  team: string;
  enterprise?: string;
}

export interface BotIdentity extends Place {
  botToken: string;
}

/** An installation that somebody has just made. */
export interface NewInstallation {
  /** The id of the organisation if it installed the bot for all its workspaces, otherwise of the workspace. */
  id: string;
  isOrgWide: boolean;
  /** What people call it. */
  name: string;
  botUserId: string;
  tokens: Tokens;
}

export type Installations = ReturnType<typeof createInstallations>;

/** How long a list of an organisation's workspaces is kept, in ms. */
const KEEP_MS = 60_000;

/** Where the bot is installed, and with which tokens. The store keeps them sealed, and only `botToken` comes out. */
export function createInstallations(
  deps: TokenDeps & {
    records: Pick<Records, 'workspaces'>;
    /** Asks Slack which workspaces an organisation's token may act in. */
    workspacesOf(token: string): Promise<ReadonlySet<string>>;
  },
) {
  const { ledger } = deps;
  const { installations, workspaces, inOneStep } = deps.records;
  const { seal, tokenOf, stop } = createTokens(deps);
  /** By organisation: the workspaces in which its token may act. */
  const recent = createShortCache<ReadonlySet<string>>(KEEP_MS, deps.clock.steady);

  /** The bot's identity there, with a token that works; undefined if the bot is not installed. */
  async function at(place: Place): Promise<BotIdentity | undefined> {
    if (place.enterprise !== undefined && (await workspaces.get(place.team))?.removedAt !== undefined) return;
    const botToken = await tokenOf(place.enterprise ?? place.team);
    return botToken === undefined ? undefined : { ...place, botToken };
  }

  /** The workspaces in which an organisation's token may act now. Rejects if Slack gives no clear answer. */
  async function accessOf(enterprise: string): Promise<ReadonlySet<string>> {
    const token = await tokenOf(enterprise);
    return token === undefined ? new Set() : deps.workspacesOf(token);
  }

  /** Slack allows some twenty lists a minute. If the workspace is not in a kept list, it may have been added since. */
  async function isServedBy(enterprise: string, team: string): Promise<boolean> {
    const list = () => accessOf(enterprise);
    const listed = await recent(enterprise, list);
    return listed.has(team) || (await recent(enterprise, list, 0)).has(team);
  }

  return {
    at,
    tokenOf,
    accessOf,
    /** As `at`, for a workspace whose installation is known from its last request. */
    async of(team: string) {
      const { enterprise } = (await workspaces.get(team)) ?? {};
      return at({ team, ...defined({ enterprise }) });
    },
    async save({ id, isOrgWide, name, botUserId, tokens }: NewInstallation): Promise<void> {
      const installedAt = Math.round(ledger.now());
      const made = { id, isOrgWide, botUserId, sealedTokens: seal(id, tokens), installedAt };
      // A damaged record counts as none, so this writes it again.
      const [known] = await workspaces.getMany([id]);
      const { firstSeenAt = installedAt } = known ?? {};
      await inOneStep(async (step) => {
        step.set(installations, id, made);
        if (!isOrgWide) step.set(workspaces, id, { team: id, name, botUserId, firstSeenAt });
      });
    },
    /**
     * Records which installation serves a workspace, so that `of` finds it. Records nothing if Slack says that the
     * organisation's installation does not serve it. Rejects if Slack gives no clear answer.
     */
    async meet({ team, enterprise }: Place): Promise<void> {
      const before = await workspaces.get(team);
      if (before && before.enterprise === enterprise) return;
      // In shared channels, people press buttons whose workspace does not belong to this organisation.
      if (enterprise !== undefined && !(await isServedBy(enterprise, team))) return;
      await inOneStep(async (step) => {
        const known = await step.get(workspaces, team);
        if (known && known.enterprise === enterprise) return;
        // An installation of its own comes first.
        if (enterprise !== undefined && isActive(await step.get(installations, team))) return;
        const serving = await step.get(installations, enterprise ?? team);
        // Somebody removed it since its token was read. While the bot forgets a workspace, it must not record it again.
        if (!isActive(serving)) return;
        const { botUserId } = serving;
        const met = known ?? { team, name: team, firstSeenAt: Math.round(ledger.now()) };
        step.set(workspaces, team, defined({ ...met, removedAt: undefined, botUserId, enterprise }));
      });
    },
    stop,
  };
}
