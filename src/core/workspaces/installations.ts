import type { Logger } from 'pino';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Cipher } from '../../records/encryption.ts';
import type { Records } from '../../records/records.ts';
import type { Installation } from '../../records/schema.ts';
import { isActive } from '../accounts/is-served.ts';
import type { Clock } from '../clock.ts';

/** Where something happens: a workspace; `enterprise` where the bot is there by an installation for all of that. */
export interface Place {
  team: string;
  enterprise?: string;
}

/** What the bot acts with. `expiresAt`: ms since 1970; without it the token lives until it is revoked. */
export const Tokens = z.object({
  bot: z.string(),
  refresh: z.string().optional(),
  expiresAt: z.number().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** Who the bot is in a place. */
export interface BotIdentity extends Place {
  botToken: string;
}

/** An installation that somebody has just made. */
export interface NewInstallation {
  /** The organisation's where it is for all of that, else the workspace's. */
  id: string;
  isOrgWide: boolean;
  /** What people call it. */
  name: string;
  botUserId: string;
  tokens: Tokens;
}

/** Where the bot is installed, and with which tokens. They are sealed in the store and leave it as `botToken` only. */
export interface Installations {
  save(made: NewInstallation): Promise<void>;
  /** Who to act as there, with a token that works; undefined where the bot is not installed. */
  at(place: Place): Promise<BotIdentity | undefined>;
  /** The token of an installation, by its id; undefined where there is none. */
  tokenOf(id: string): Promise<string | undefined>;
  /** The same as `at` for a workspace alone, as it was met last. */
  of(team: string): Promise<BotIdentity | undefined>;
  /** Writes down which installation serves a workspace, so that `of` finds it. */
  meet(place: Place): Promise<void>;
  /** Resolves when every token that was exchanged is written down. One that the store refuses to the last is lost. */
  stop(): Promise<void>;
}

/** How long before it expires a token is exchanged, in ms. */
const EARLY_MS = 2 * 3_600_000;
/** How long whoever exchanges a token has before others may try, in ms: longer than a call to Slack takes. */
const CLAIM_MS = 30_000;
/** Who needs a token that somebody else is exchanging looks for it this often, and for this long, in ms. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 10_000;
/** What the store refused to keep is written again after this, in ms. */
const WRITE_AGAIN_MS = 2000;

export function createInstallations(deps: {
  records: Pick<Records, 'installations' | 'workspaces' | 'inOneStep'>;
  ledger: Pick<Ledger, 'firstTime' | 'now'>;
  cipher: Cipher;
  clock: Clock;
  log: Logger;
  /** Exchanges a refresh token for new tokens: it can be used once. */
  refresh(token: string): Promise<Tokens>;
}): Installations {
  const { ledger, cipher, clock, log } = deps;
  const { installations, workspaces, inOneStep } = deps.records;

  const seal = (id: string, tokens: Tokens) =>
    cipher.seal(JSON.stringify(tokens), installations.addressOf(id));
  const open = ({ id, sealedTokens }: Installation) =>
    Tokens.parse(JSON.parse(cipher.open(sealedTokens, installations.addressOf(id))));

  /**
   * New tokens that are not written down yet, with the refresh token that is stored. That one is spent: without the new
   * tokens the workspace is lost.
   */
  const unwritten = new Map<string, { spent: string; tokens: Tokens }>();
  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  function track<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    const over = () => running.delete(work);
    work.then(over, over);
    return work;
  }

  /**
   * A token that works. However many ask at once, here and in other processes, one of them exchanges it: the claim goes
   * by the token's own expiry, and its loser reads what the winner wrote. As long as the present one lives nobody
   * waits.
   */
  async function tokenOf(id: string): Promise<string | undefined> {
    for (const until = clock.steady() + LOOK_FOR_MS; ; await clock.sleep(LOOK_EVERY_MS)) {
      const found = await installations.get(id);
      if (!isActive(found)) return undefined;
      const stored = open(found);
      const newer = unwritten.get(id);
      const tokens = newer !== undefined && newer.spent === stored.refresh ? newer.tokens : stored;
      const { expiresAt = Number.POSITIVE_INFINITY, refresh } = tokens;
      const lifeMs = expiresAt - ledger.now();
      if (lifeMs > EARLY_MS || refresh === undefined) return tokens.bot;
      const mine = await ledger.firstTime(`exchange:${id}:${expiresAt}`, CLAIM_MS);
      if (lifeMs > 0) {
        if (mine) void track(exchange(id, refresh, stored.refresh)).catch(() => undefined);
        return tokens.bot;
      }
      if (mine) return track(exchange(id, refresh, stored.refresh));
      if (clock.steady() > until) throw new Error(`the token of the installation ${id} has expired`);
    }
  }

  /** @param spent the refresh token that is stored; an older one, where the last exchange is not written down yet */
  async function exchange(id: string, refresh: string, spent = refresh): Promise<string> {
    try {
      const tokens = await deps.refresh(refresh);
      unwritten.set(id, { spent, tokens });
      void track(writeUntilItHolds(id));
      return tokens.bot;
    } catch (error) {
      log.error({ err: error, installation: id }, 'a token could not be exchanged for a new one');
      throw error;
    }
  }

  async function writeUntilItHolds(id: string): Promise<void> {
    for (;;) {
      try {
        return await write(id);
      } catch (error) {
        log.error({ err: error, installation: id }, 'a new token could not be written down');
        if (stopping.signal.aborted) return;
      }
      await clock.sleep(WRITE_AGAIN_MS, stopping.signal);
    }
  }

  async function write(id: string): Promise<void> {
    const newer = unwritten.get(id);
    if (!newer) return;
    await inOneStep(async (step) => {
      const found = await step.get(installations, id);
      // Removed or made again meanwhile, or written by a step whose answer was lost: what is there now is right.
      if (!isActive(found) || open(found).refresh !== newer.spent) return;
      step.set(installations, id, { ...found, sealedTokens: seal(id, newer.tokens) });
    });
    if (unwritten.get(id) === newer) unwritten.delete(id);
  }

  async function at(place: Place): Promise<BotIdentity | undefined> {
    if (place.enterprise !== undefined && (await workspaces.get(place.team))?.removedAt !== undefined) return;
    const botToken = await tokenOf(place.enterprise ?? place.team);
    return botToken === undefined ? undefined : { ...place, botToken };
  }

  return {
    at,
    tokenOf,
    async of(team) {
      const { enterprise } = (await workspaces.get(team)) ?? {};
      return at({ team, ...(enterprise === undefined ? {} : { enterprise }) });
    },
    async save({ id, isOrgWide, name, botUserId, tokens }) {
      const installedAt = Math.round(ledger.now());
      await installations.set(id, { id, isOrgWide, botUserId, sealedTokens: seal(id, tokens), installedAt });
      if (isOrgWide) return;
      const { firstSeenAt = installedAt } = (await workspaces.get(id)) ?? {};
      await workspaces.set(id, { team: id, name, botUserId, firstSeenAt });
    },
    async meet({ team, enterprise }) {
      await inOneStep(async (step) => {
        const known = await step.get(workspaces, team);
        if (known && known.enterprise === enterprise) return;
        // People of other workspaces press buttons in shared channels: that makes theirs none of this organisation's.
        if (known && enterprise !== undefined) {
          if (isActive(await step.get(installations, known.enterprise ?? team))) return;
        }
        const serving = await step.get(installations, enterprise ?? team);
        // Taken away since its token was read: what is being forgotten must not be known again.
        if (!isActive(serving)) return;
        const {
          enterprise: _before,
          removedAt: _over,
          ...kept
        } = known ?? { team, name: team, firstSeenAt: Math.round(ledger.now()) };
        const { botUserId } = serving;
        step.set(workspaces, team, {
          ...kept,
          botUserId,
          ...(enterprise === undefined ? {} : { enterprise }),
        });
      });
    },
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
