import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Poster } from '../../src/ledger/outbox/outbox-types.ts';

/** A tap between core and the real ledger. */
export interface LedgerTap {
  ledger: Ledger;
  /** From now on, calls of this method go to `instead`, which may call the real method. */
  intercept<M extends keyof Ledger>(method: M, instead: (real: Ledger[M]) => Ledger[M]): void;
  /** Lets every later call hang, as the calls of a killed process do. */
  kill(): void;
}

/** Taps a real ledger. The tap changes nothing until it intercepts a method. */
export function tapLedger(real: Ledger): LedgerTap {
  const replaced = new Map<keyof Ledger, unknown>();
  let dead = false;
  const ledger = new Proxy(real, {
    get(target, name) {
      const method = name as keyof Ledger;
      if (method === 'postWith') return (poster: Poster) => target.postWith(whileAlive(poster));
      const call = (replaced.get(method) ?? target[method]) as (...args: unknown[]) => unknown;
      if (method === 'now') return call;
      return (...args: unknown[]) => (dead ? new Promise(() => {}) : call(...args));
    },
  });
  /** A killed process posts none of the messages that it has just announced. */
  function whileAlive(poster: Poster): Poster {
    return {
      ...poster,
      token: () => (dead ? undefined : poster.token()),
      post: (token, row) => poster.post(token, dead ? undefined : row),
    };
  }

  return {
    ledger,
    intercept(method, instead) {
      replaced.set(method, instead(real[method]));
    },
    kill() {
      dead = true;
    },
  };
}

/** A gate: while it is shut, calls wait at it. */
export function createGate(): { pass(): Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pass: () => promise, open: resolve };
}
