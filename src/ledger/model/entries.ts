/** Values by name; missing where there are none, so that a document which is over holds no empty ones. */
export type Entries<T> = { [name: string]: T } | undefined;

/** The entries without one of them, a copy; the same object where it is not there. */
export function without<T>(entries: Entries<T>, name: string): Entries<T> {
  if (entries?.[name] === undefined) return entries;
  const { [name]: _gone, ...others } = entries;
  return Object.keys(others).length > 0 ? others : undefined;
}
