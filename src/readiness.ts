import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger/ledger.ts';
import { refusalOf } from './store/redis/errors.ts';

/** Each part's state: `ok`, or the trouble in a few words. */
export interface Readiness {
  ready: boolean;
  parts: { [part: string]: string };
}

/** How long the bot reuses an answer about the store, in ms: frequent probes must not each cause a write. */
const STORE_ANSWER_MS = 1000;

/**
 * Whether the bot can do its work. The store and its required replicas must take writes. The bot must reach Slack. The
 * gate must let requests through to the service. `slack` and `gate` return a trouble in words that hold nothing private.
 */
export function createReadiness({
  ledger,
  slack,
  gate,
}: {
  ledger: Pick<Ledger, 'tryToWrite'>;
  slack(): string | undefined;
  gate(): string | undefined;
}): () => Promise<Readiness> {
  let asked: { at: number; answer: Promise<string | undefined> } | undefined;

  async function writeToStore(): Promise<string | undefined> {
    try {
      await ledger.tryToWrite(`ready:${randomUUID()}`, STORE_ANSWER_MS);
      return undefined;
    } catch (error) {
      return `it can't be written${wordOf(error)}`;
    }
  }

  return async () => {
    const at = performance.now();
    if (!asked || at - asked.at >= STORE_ANSWER_MS) asked = { at, answer: writeToStore() };
    const troubles = { store: await asked.answer, slack: slack(), gate: gate() };
    return {
      ready: Object.values(troubles).every((trouble) => trouble === undefined),
      parts: Object.fromEntries(Object.entries(troubles).map(([part, trouble]) => [part, trouble ?? 'ok'])),
    };
  };
}

/** The engine's short word for the failure. The error's message may hold more than everybody should read. */
function wordOf(error: unknown): string {
  const { cause, code } = error as { cause?: { errstr?: unknown }; code?: unknown };
  const word = cause?.errstr ?? refusalOf(error) ?? code;
  return typeof word === 'string' ? ` (${word})` : '';
}
