import type { Address } from './store.ts';
import type { Known } from './workspace.ts';

/** Most characters of JSON that a process remembers: some thousand documents. */
const MOST_CHARACTERS = 8_000_000;
/** What a document takes beside its JSON. */
const OVERHEAD = 200;

/** The documents that this process read or wrote last, as they were then. What it commits shows whether they still are. */
export interface Memory {
  recall(address: Address): { known: Known } | undefined;
  remember(address: Address, known: Known): void;
  forget(): void;
}

/** An empty one. */
export function createMemory(): Memory {
  const all = new Map<string, { known: Known }>();
  let characters = 0;
  const nameOf = ({ collection, id }: Address) => `${collection}/${id}`;
  const sizeOf = ({ known }: { known: Known }) => (known?.text.length ?? 0) + OVERHEAD;

  function drop(name: string): void {
    const one = all.get(name);
    if (!one) return;
    all.delete(name);
    characters -= sizeOf(one);
  }

  return {
    recall: (address) => all.get(nameOf(address)),
    remember(address, known) {
      const name = nameOf(address);
      drop(name);
      all.set(name, { known });
      characters += sizeOf({ known });
      for (const oldest of all.keys()) {
        if (characters <= MOST_CHARACTERS) break;
        drop(oldest);
      }
    },
    forget() {
      all.clear();
      characters = 0;
    },
  };
}
