/** The entries without one of them, a copy; the same object where it is not there. */
export function without<Entries extends object>(entries: Entries, name: keyof Entries & string): Entries {
  if (!(name in entries)) return entries;
  const { [name]: _gone, ...others } = entries;
  return others as Entries;
}
