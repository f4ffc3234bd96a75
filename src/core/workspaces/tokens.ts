import type { Logger } from 'pino';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Cipher } from '../../records/encryption.ts';
import type { Records } from '../../records/records.ts';
import type { Installation } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';
import { isActive } from './is-served.ts';

/** What the bot acts with. `expiresAt`: ms since 1970; without it the token lives until it is revoked. */
export const Tokens = z.object({
  bot: z.string(),
  refresh: z.string().optional(),
  expiresAt: z.number().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** How long before it expires a token is exchanged, in ms. */
const EARLY_MS = 2 * 3_600_000;
/** How long whoever exchanges a token has before others may try, in ms: longer than a call to Slack takes. */
const CLAIM_MS = 30_000;
/** Who needs a token that somebody else is exchanging looks for it this often, and for this long, in ms. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 10_000;
/** What the store refused to keep is written again after this, in ms. */
const WRITE_AGAIN_MS = 2000;

export interface TokenDeps {
  records: Pick<Records, 'installations' | 'inOneStep'>;
  ledger: Pick<Ledger, 'firstTime' | 'now'>;
  cipher: Cipher;
  clock: Clock;
  log: Logger;
  /** Exchanges a refresh token for new tokens: it can be used once. */
  refresh(token: string): Promise<Tokens>;
}

/** Keeps the tokens of installations working. */
export function createTokens(deps: TokenDeps) {
  const { ledger, cipher, clock, log } = deps;
  const { installations, inOneStep } = deps.records;

  /** The tokens as they are kept in the record of this installation. */
  const seal = (id: string, tokens: Tokens) =>
    cipher.seal(JSON.stringify(tokens), installations.addressOf(id));
  const open = ({ id, sealedTokens }: Installation) =>
    Tokens.parse(JSON.parse(cipher.open(sealedTokens, installations.addressOf(id))));

  /** New tokens that are not stored yet, with the stored refresh token, which is spent: without them the workspace is lost. */
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
   * A token of the installation that works; undefined if there is no such installation. Of several callers, here or in other
   * processes, one claims the token's expiry and exchanges it; the others wait for its token, if theirs works no more.
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
      if (!isActive(found)) return;
      const { refresh } = open(found);
      // Made again meanwhile: what is there now is right. What a step wrote whose answer was lost is written once more:
      // replicas may lack it.
      if (refresh !== newer.spent && refresh !== newer.tokens.refresh) return;
      step.set(installations, id, { ...found, sealedTokens: seal(id, newer.tokens) });
    });
    if (unwritten.get(id) === newer) unwritten.delete(id);
  }

  return {
    seal,
    tokenOf,
    /** Resolves when every token that was exchanged is written down. One that the store refuses to the last is lost. */
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
