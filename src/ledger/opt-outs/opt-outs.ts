import { keyText, startingWith } from '../../store/keys.ts';
import type { Steps } from '../../store/steps.ts';
import type { View } from '../../store/view.ts';
import { defined } from '../model/defined.ts';
import {
  changedAt,
  isOptedOut,
  type OptOutRecord,
  type OptOutRequest,
  optOutAddress,
  optOutCounts,
  optOutIdOf,
  optOuts,
  type RenewSealed,
} from './opt-out-documents.ts';

/** How many changes of a number we keep, the newest. */
const MOST_CHANGES = 20;

/** Opts numbers out, or in again: all or none. Returns how many changed. */
export function changeOptOuts(view: View, request: OptOutRequest): number {
  const { team, to, cause, entries, unlessChangedSince = Number.POSITIVE_INFINITY } = request;
  view.prefetch(optOutCounts, team);
  view.prefetch(optOuts, ...entries.map(({ hash }) => optOutIdOf({ team, hash })));
  let changed = 0;
  let known: OptOutRecord | undefined;
  for (const { hash, sealed, ...words } of entries) {
    const id = optOutIdOf({ team, hash });
    const before = optOut(view, team, hash);
    const isSo = (before !== undefined && isOptedOut(before)) === (to === 'out');
    if (isSo || (before !== undefined && changedAt(before) > unlessChangedSince)) {
      known = before;
      continue;
    }
    const changes = [...(before?.changes ?? []), { ...cause, to, at: view.now, ...words }].slice(
      -MOST_CHANGES,
    );
    view.put(optOuts, id, { team, hash, sealed, changes });
    changed += 1;
  }
  if (changed > 0) countChanged(view, team, to === 'out' ? changed : -changed);
  // Nothing changed. Write one record again, so that the replicas confirm it: a read may show what no replica has.
  else if (known) view.put(optOuts, optOutIdOf(known), known);
  return changed;
}

function countChanged(view: View, team: string, by: number): void {
  const { numbers = 0 } = view.get(optOutCounts, team) ?? {};
  view.put(optOutCounts, team, { team, numbers: Math.max(0, numbers + by) });
}

/** A number's record; undefined if nobody ever opted it out, or it was opted in again long ago. */
export function optOut(view: View, team: string, hash: string): OptOutRecord | undefined {
  const found = view.get(optOuts, optOutIdOf({ team, hash }));
  return found && withChanges(found);
}

/** A damaged record may have lost its changes. */
function withChanges(found: OptOutRecord): OptOutRecord {
  return { ...found, changes: found.changes ?? [] };
}

/** Which of these numbers are opted out now. One read. */
export function whichOptedOut(view: View, team: string, hashes: string[]): Set<string> {
  const known = view.together(...hashes.map((hash) => () => optOut(view, team, hash)));
  const isOut = (found: OptOutRecord | undefined) => found !== undefined && isOptedOut(found);
  return new Set(hashes.filter((_, at) => isOut(known[at])));
}

export function countOptOuts(view: View, team: string): number {
  return view.get(optOutCounts, team)?.numbers ?? 0;
}

/** Opted-out numbers, the newest first; only those after `before`, if given. */
export function listOptOuts(
  view: View,
  team: string,
  { before, limit }: { before?: OptOutRecord; limit: number },
): OptOutRecord[] {
  const all = startingWith([team]);
  const key = before && optOuts.indexes.out?.(before);
  return view
    .list(optOuts, 'out', { from: all.from, to: key ? keyText(key) : all.to }, { limit, isReverse: true })
    .map(({ value }) => withChanges(value));
}

/** Workspaces that ever had an opt-out. */
export function teamsWithOptOuts(view: View): string[] {
  return view.list(optOutCounts, 'teams', startingWith([])).map(({ value }) => value.team);
}

/** Erases a number and all reasons. If it is opted out, its hash stays, so that nobody texts it again. */
export function eraseOptOut(view: View, team: string, hash: string): 'none' | 'deleted' | 'kept' {
  const id = optOutIdOf({ team, hash });
  const found = optOut(view, team, hash);
  if (!found) return 'none';
  if (!isOptedOut(found)) {
    view.delete(optOuts, id);
    return 'deleted';
  }
  const changes = found.changes.map(({ sealedReason: _words, ...change }) => change);
  view.put(optOuts, id, { team, hash, changes });
  return 'kept';
}

/** Seals the opt-outs of all workspaces again, one at a time. Returns how many changed. */
export async function resealOptOuts(steps: Steps, renew: RenewSealed): Promise<number> {
  let renewed = 0;
  for await (const page of steps.documents(optOuts)) {
    for (const { id } of page) if (await steps.run((view) => resealOne(view, id, renew))) renewed += 1;
  }
  return renewed;
}

function resealOne(view: View, id: string, renew: RenewSealed): boolean {
  const before = view.get(optOuts, id);
  if (!before) return false;
  const renewed = (text: string | undefined) => text && renew(text, optOutAddress(id));
  const after: OptOutRecord = {
    ...before,
    ...defined({ sealed: renewed(before.sealed) }),
    changes: withChanges(before).changes.map((change) => ({
      ...change,
      ...defined({ sealedReason: renewed(change.sealedReason) }),
    })),
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return false;
  view.put(optOuts, id, after);
  return true;
}

/** Deletes all opt-outs: without their keys, nobody can read them. Returns how many numbers were opted out. */
export async function forgetOptOuts(steps: Steps): Promise<number> {
  let held = 0;
  for await (const page of steps.documents(optOuts)) {
    held += await steps.run((view) => {
      const found = page.flatMap(({ id }) => view.get(optOuts, id) ?? []);
      for (const one of found) view.delete(optOuts, optOutIdOf(one));
      return found.filter(isOptedOut).length;
    });
  }
  for await (const page of steps.documents(optOutCounts)) {
    await steps.run((view) => {
      for (const { id } of page) view.delete(optOutCounts, id);
    });
  }
  return held;
}
