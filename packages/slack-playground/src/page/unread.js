// @ts-check

/** @import { PageChannel, PageState } from '../page-state.ts' */

/** Which places hold something that a person has not looked at since this page was opened. */
export function createUnread() {
  /** The newest message that counts as read, by person and channel. @type {Map<string, string>} */
  const seen = new Map();
  /** @type {Set<string>} */
  const people = new Set();
  const key = (/** @type {PageState} */ { as }, /** @type {PageChannel} */ { id }) => `${as} ${id}`;
  const newest = (/** @type {PageChannel} */ { messages }) => messages.at(-1)?.ts ?? '';

  return {
    /** Marks a place as read; at a person's first sight all places are. @param {PageState} state @param {PageChannel} channel */
    read(state, channel) {
      if (!people.has(state.as)) for (const one of state.channels) seen.set(key(state, one), newest(one));
      people.add(state.as);
      seen.set(key(state, channel), newest(channel));
    },
    /** @param {PageState} state @param {PageChannel} channel */
    isUnread: (state, channel) => newest(channel) > (seen.get(key(state, channel)) ?? ''),
  };
}
