import type { Collection } from '../../store/collection.ts';
import { upTo } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';

/** Expired documents: a collection's index `over` says until when somebody needs each document. */

/** How many documents one step looks at, or deletes. */
export const OVER_PAGE = 100;

/** Some documents that had expired by this moment. */
export function listOver<T>(view: View, of: Collection<T>, until: number): ListedDocument<T>[] {
  return view.list(of, 'over', upTo([], until), { limit: OVER_PAGE });
}

/** Deletes some documents that had expired by this moment. Returns how many; `OVER_PAGE` if there may be more. */
export function deleteSomeOver<T>(view: View, of: Collection<T>, until: number): number {
  const over = listOver(view, of, until);
  for (const { id } of over) view.delete(of, id);
  return over.length;
}
