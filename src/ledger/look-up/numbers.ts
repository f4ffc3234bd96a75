import { keyText, startingWith, upTo } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';
import { type ChunkDocument, chunkRefOf, chunks, listedOutcomeOf } from '../model/chunk-documents.ts';
import { messagesOf } from '../model/read-chunks.ts';
import { sends } from '../model/send-documents.ts';
import { hasEnded } from '../model/send-states.ts';
import { putSend } from '../rules/put-send.ts';
import { leafIdOf, numbers } from './number-documents.ts';
import {
  emptyLeaf,
  entriesOf,
  type HashNumber,
  type LeafChange,
  type LeafEntry,
  leavesAfter,
  leavesWith,
  type NumberLeaf,
} from './number-leaf.ts';

/** The most messages, and the most chunks, that one step lists: so few delay no command. */
const MOST_MESSAGES = 100;
const MOST_CHUNKS = 50;
/** The most leaves from which one step deletes old entries. */
const MOST_LEAVES = 20;

const MINUTE_MS = 60_000;

interface TeamChange extends LeafChange {
  team: string;
}

/**
 * Adds settled and decided messages to the look-up, the oldest first. The same step marks their chunks, so the look-up
 * has each message once, with its present outcome. Returns true while more may wait.
 */
export function listNumbers(view: View, hashOf: HashNumber): boolean {
  // If a power cut loses this step, it loses its marks, too: the next step lists the messages again.
  view.allowUnsynced();
  const waiting = view.list(chunks, 'unlisted', startingWith([]), { limit: MOST_CHUNKS });
  let room = MOST_MESSAGES;
  const batch = waiting.filter(({ value }, at) => {
    room -= value.size;
    return at === 0 || room >= 0;
  });
  const changes = view.together(...batch.map((one) => () => changesOf(view, one, hashOf))).flat();
  for (const { id, value } of batch) {
    const { listed: _before, ...chunk } = value;
    const listed = listedOutcomeOf(chunk);
    view.put(chunks, id, { ...chunk, ...(listed && { listed }) });
    // The look-up has the text now: the document is at rest.
    const send = view.get(sends, chunkRefOf(id).send);
    const isFirst = send?.record.kind === 'single' && hasEnded(send.record) && !send.isListed;
    if (isFirst) putSend(view, send.record.id, { ...send, isListed: true });
  }
  changeLeaves(view, changes);
  return batch.length < waiting.length || waiting.length === MOST_CHUNKS;
}

/** What a chunk changes. If the store has lost its send, nobody knows its workspace, and the look-up gets nothing. */
function changesOf(
  view: View,
  { id, value: chunk }: ListedDocument<ChunkDocument>,
  hashOf: HashNumber,
): TeamChange[] {
  const ref = chunkRefOf(id);
  const send = view.get(sends, ref.send);
  if (!send) return [];
  const { team, channelId, decidedAt = 0, decidedBy: by = '' } = send.record;
  const { listed: was } = chunk;
  const is = listedOutcomeOf(chunk);
  const minute = Math.floor(decidedAt / MINUTE_MS);
  return messagesOf(view, send, ref).flatMap(({ phone }) => {
    // An operator has erased this number.
    if (phone === '') return [];
    const rest = { hash: hashOf(team, phone), minute, by, channelId };
    return [
      ...(was ? [{ team, entry: { ...rest, outcome: was }, isGone: true }] : []),
      ...(is ? [{ team, entry: { ...rest, outcome: is }, isGone: false }] : []),
    ];
  });
}

function changeLeaves(view: View, changes: TeamChange[]): void {
  const found = view.together(
    ...changes.map((change) => () => ({ change, leaf: findLeaf(view, change.team, change.entry.hash) })),
  );
  for (const same of Map.groupBy(found, ({ leaf }) => leafIdOf(leaf)).values()) {
    const [first] = same;
    const own = same.map(({ change }) => change);
    if (first) putLeaves(view, leavesAfter(first.leaf, own));
  }
}

function putLeaves(view: View, leaves: NumberLeaf[]): void {
  for (const after of leaves) view.put(numbers, leafIdOf(after), after);
}

/**
 * The leaf whose range holds the hash. The list may miss a leaf that another step has just split off. So the search
 * goes on where the range of the found leaf ends.
 */
function findLeaf(view: View, team: string, hash: string): NumberLeaf {
  const upToHash = { from: keyText([team]), to: startingWith([team, hash]).to };
  const [listed] = view.list(numbers, 'leaves', upToHash, { limit: 1, isReverse: true });
  let leaf = listed?.value ?? emptyLeaf(team);
  for (;;) {
    leaf = view.getAssumingAbsent(numbers, leafIdOf(leaf)) ?? leaf;
    if (leaf.end === undefined || hash < leaf.end) return leaf;
    leaf = { ...emptyLeaf(team), start: leaf.end };
  }
}

/** The messages to a number that somebody decided to send since `since` (ms), oldest first. Of very many, the newest. */
export function lookUp(view: View, team: string, hash: string, since: number): LeafEntry[] {
  return entriesOf(findLeaf(view, team, hash)).filter(
    (entry) => entry.hash === hash && entry.minute * MINUTE_MS >= since,
  );
}

export function teamsInLookUp(view: View): string[] {
  const teams: string[] = [];
  const all = startingWith([]);
  let { from } = all;
  for (;;) {
    const [first] = view.list(numbers, 'leaves', { from, to: all.to }, { limit: 1 });
    if (!first) return teams;
    teams.push(first.value.team);
    from = startingWith([first.value.team]).to;
  }
}

/** Deletes a number from the look-up. Returns how many messages it deleted. */
export function forgetNumber(view: View, team: string, hash: string): number {
  const leaf = findLeaf(view, team, hash);
  const entries = entriesOf(leaf);
  const rest = entries.filter((entry) => entry.hash !== hash);
  if (rest.length < entries.length) putLeaves(view, leavesWith(leaf, rest));
  return entries.length - rest.length;
}

/**
 * Deletes entries older than `before` from some leaves that have one older than `due`. So one write of a leaf deletes
 * many entries. Returns true while there may be more.
 */
export function deleteOldEntries(view: View, before: number, due: number): boolean {
  view.allowUnsynced();
  const minute = (at: number) => Math.floor(at / MINUTE_MS);
  const old = view.list(numbers, 'oldest', upTo([], minute(due) - 1), { limit: MOST_LEAVES });
  for (const { value: leaf } of old) {
    const kept = entriesOf(leaf).filter((entry) => entry.minute >= minute(before));
    putLeaves(view, leavesWith(leaf, kept));
  }
  return old.length === MOST_LEAVES;
}
