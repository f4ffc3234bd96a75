import type { Collection } from '../../store/collection.ts';
import { startingFrom, upTo } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';

/** Open Homes. No step here waits for the disk: a power cut costs people one more visit to their Home. */

interface HomeOwner {
  team: string;
  user: string;
}

/** What a Home shows: a digest of its content, and the hash by which Slack knows the view. */
interface ShownHome {
  digest: string;
  hash: string;
}

export interface DueHome extends HomeOwner {
  /** Missing before it is published, and if nobody knows what Slack shows. */
  shown?: ShownHome;
}

/** The Home of a person who opened it lately. Times are ms by the store's clock. */
interface OpenHome extends DueHome {
  openedAt: number;
  /** When a bot next checks whether the Home is up to date. */
  lookAt: number;
}

export const homes: Collection<OpenHome> = {
  name: 'homes',
  whenDamaged: 'lost',
  indexes: { look: ({ lookAt }) => [lookAt] },
};

/** How often bots check a Home, and publish it, in ms. */
export const HOME_EVERY_MS = 10_000;
/** How long bots check a Home after somebody opened it, in ms. */
export const HOME_OPEN_MS = 3_600_000;
const PAGE = 50;

/** Notes that a person opened their Home: bots check it for an hour from now on. */
export function openHome(view: View, { team, user }: HomeOwner): void {
  view.allowUnsynced();
  const { now } = view;
  view.put(homes, idOf({ team, user }), { team, user, openedAt: now, lookAt: now + HOME_EVERY_MS });
}

/**
 * Takes the Homes that are due for a check: only one caller gets each. A Home is due every `HOME_EVERY_MS`, and
 * forgotten `HOME_OPEN_MS` after somebody opened it.
 */
export function takeDueHomes(view: View): DueHome[] {
  view.allowUnsynced();
  const due: DueHome[] = [];
  for (const { id, value } of dueHomes(view)) {
    if (value.openedAt + HOME_OPEN_MS <= view.now) {
      view.delete(homes, id);
      continue;
    }
    view.put(homes, id, { ...value, lookAt: view.now + HOME_EVERY_MS });
    const { team, user, shown } = value;
    due.push({ team, user, ...(shown && { shown }) });
  }
  return due;
}

/** If somebody has set the clock back, no Home waits for the old time. */
export function releaseHomes(view: View): void {
  view.allowUnsynced();
  for (const { id, value } of view.list(homes, 'look', startingFrom([], view.now + HOME_EVERY_MS + 1))) {
    const openedAt = Math.min(value.openedAt, view.now);
    view.put(homes, id, { ...value, openedAt, lookAt: view.now });
  }
}

export function isHomeDue(view: View): boolean {
  return dueHomes(view).length > 0;
}

function dueHomes(view: View) {
  return view.list(homes, 'look', upTo([], view.now), { limit: PAGE });
}

/** Notes what a Home shows now, undefined if nobody knows; bots check it again in `HOME_EVERY_MS`. */
export function noteHome(view: View, owner: HomeOwner, shown: ShownHome | undefined): void {
  view.allowUnsynced();
  const id = idOf(owner);
  const found = view.get(homes, id);
  if (!found) return;
  const { shown: _before, ...home } = found;
  view.put(homes, id, { ...home, lookAt: view.now + HOME_EVERY_MS, ...(shown && { shown }) });
}

export function forgetHome(view: View, owner: HomeOwner): void {
  view.allowUnsynced();
  view.delete(homes, idOf(owner));
}

function idOf({ team, user }: HomeOwner): string {
  return `${team}/${user}`;
}
