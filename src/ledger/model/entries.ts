/**
 * Entries by name, each change a copy. Names are often used once, such as tokens. V8 makes a hidden class for each new
 * name on an object that begins as `{}`: with 40 entries a copy then takes five times as long. An object that begins
 * without a prototype is a hash table.
 */

/** The entries with one more, or with another value of it. */
export function withEntry<T>(entries: { [name: string]: T }, name: string, value: T): { [name: string]: T } {
  const after = copyOf(entries);
  after[name] = value;
  return after;
}

/** The entries without one of them; the same object where it is not there. */
export function without<Entries extends object>(entries: Entries, name: keyof Entries & string): Entries {
  return name in entries ? copyOf(entries, name) : entries;
}

function copyOf<Entries extends object>(entries: Entries, but?: string): Entries {
  const copy: Entries = Object.create(null);
  for (const name in entries) if (name !== but) copy[name] = entries[name];
  return Object.setPrototypeOf(copy, Object.prototype);
}
