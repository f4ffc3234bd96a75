import type { Collection } from '../../store/collection.ts';
import { upTo } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';

/** Documents whose time is over: a collection's index `over` says until when somebody needs each. */

/** What one step looks at, or deletes. */
export const OVER_PAGE = 100;

/** Some documents that were over until this moment. */
export function listOver<T>(view: View, of: Collection<T>, until: number): ListedDocument<T>[] {
  return view.list(of, 'over', upTo([], until), { limit: OVER_PAGE });
}

/** Deletes some documents that were over until this moment. Returns how many; `OVER_PAGE` where there may be more. */
export function deleteSomeOver<T>(view: View, of: Collection<T>, until: number): number {
  const over = listOver(view, of, until);
  for (const { id } of over) view.delete(of, id);
  return over.length;
}
