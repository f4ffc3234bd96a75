/** Values by name; undefined if there are none, so that a document keeps no empty object. */
export type Entries<T> = { [name: string]: T } | undefined;

/** A copy of the entries without one of them; the same object if that one is missing. */
export function without<T>(entries: Entries<T>, name: string): Entries<T> {
  if (entries?.[name] === undefined) return entries;
  const { [name]: _gone, ...others } = entries;
  return Object.keys(others).length > 0 ? others : undefined;
}
