import type { Logger } from 'pino';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Cipher } from '../../records/encryption.ts';
import type { Records } from '../../records/records.ts';
import type { Installation } from '../../records/schema.ts';
import type { Clock } from '../clock.ts';
import { isActive } from './is-served.ts';

/** The tokens of an installation. `expiresAt`: ms since 1970; without it the token works until it is revoked. */
export const Tokens = z.object({
  bot: z.string(),
  refresh: z.string().optional(),
  expiresAt: z.number().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/** A token is exchanged this many ms before it expires. */
const EARLY_MS = 2 * 3_600_000;
/** How long others wait for a process that exchanges a token, in ms: longer than a call to Slack takes. */
const CLAIM_MS = 30_000;
/** If another process exchanges the token, how often to look for the new one, and for how long, in ms. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 10_000;
/** How long to wait after the store refused a new token, before the next try, in ms. */
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

  /**
   * The last new tokens of each installation, with the stored refresh token before them, which is used up. They stay here
   * once they are stored: a store that fails over may forget them, and lost tokens mean a lost workspace.
   */
  const exchanged = new Map<string, { spent: string; tokens: Tokens; isStored: boolean }>();
  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  function track<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    const over = () => running.delete(work);
    work.then(over, over);
    return work;
  }

  /**
   * A working token of the installation; undefined if there is no such installation. If it expires soon, one caller of all
   * processes claims the exchange. The others use the old token, or wait for the new one if the old one has expired.
   */
  async function tokenOf(id: string): Promise<string | undefined> {
    const until = clock.steady() + LOOK_FOR_MS;
    for (;;) {
      const found = await installations.get(id);
      if (!isActive(found)) return undefined;
      const stored = open(found);
      const newer = exchanged.get(id);
      const isNewer = newer !== undefined && newer.spent === stored.refresh;
      const tokens = isNewer ? newer.tokens : stored;
      // The store has forgotten the newer tokens.
      if (isNewer && newer.isStored) keep(id, newer);
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
      await clock.sleep(LOOK_EVERY_MS);
    }
  }

  /** @param spent the stored refresh token: older than `refresh` if the last exchange is not stored yet */
  async function exchange(id: string, refresh: string, spent = refresh): Promise<string> {
    try {
      const tokens = await deps.refresh(refresh);
      keep(id, { spent, tokens });
      return tokens.bot;
    } catch (error) {
      log.error({ err: error, installation: id }, 'a token could not be exchanged for a new one');
      throw error;
    }
  }

  function keep(id: string, newer: { spent: string; tokens: Tokens }): void {
    exchanged.set(id, { ...newer, isStored: false });
    void track(writeUntilItHolds(id));
  }

  async function writeUntilItHolds(id: string): Promise<void> {
    for (;;) {
      try {
        return await write(id);
      } catch (error) {
        log.error({ err: error, installation: id }, 'the bot could not save a new Slack token');
        if (stopping.signal.aborted) return;
      }
      await clock.sleep(WRITE_AGAIN_MS, stopping.signal);
    }
  }

  async function write(id: string): Promise<void> {
    const newer = exchanged.get(id);
    if (!newer || newer.isStored) return;
    await inOneStep(async (step) => {
      const found = await step.get(installations, id);
      if (!isActive(found)) return;
      const { refresh } = open(found);
      // If the store has the new refresh token, an earlier write counted and its answer was lost. Write again, since
      // replicas may lack it. If the store has any other one, somebody has installed the bot again: those are right.
      if (refresh !== newer.spent && refresh !== newer.tokens.refresh) return;
      step.set(installations, id, { ...found, sealedTokens: seal(id, newer.tokens) });
    });
    newer.isStored = true;
  }

  return {
    seal,
    tokenOf,
    /** Resolves when every new token is stored. If the store still refuses one then, that token is lost. */
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
