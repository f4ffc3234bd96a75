/** The entries without one of them; the same object where it is not there. */
export function without<Entries extends object>(entries: Entries, name: keyof Entries): Entries {
  if (!(name in entries)) return entries;
  const { [name]: _gone, ...rest } = entries;
  return rest as Entries;
}
