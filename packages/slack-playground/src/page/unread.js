// @ts-check

/** @import { PageChannel, PageState } from '../page-state.ts' */

/** Knows which conversations have messages that a person has not seen since the page opened. */
export function createUnread() {
  /** The `ts` of the newest read message, by person and conversation. @type {Map<string, string>} */
  const seen = new Map();
  /** @type {Set<string>} */
  const people = new Set();
  const key = (/** @type {PageState} */ { as }, /** @type {PageChannel} */ { id }) => `${as} ${id}`;
  const newest = (/** @type {PageChannel} */ { messages }) => messages.at(-1)?.ts ?? '';

  return {
    /** Marks a conversation as read; when a person first comes, all of them. @param {PageState} state @param {PageChannel} channel */
    read(state, channel) {
      if (!people.has(state.as)) for (const one of state.channels) seen.set(key(state, one), newest(one));
      people.add(state.as);
      seen.set(key(state, channel), newest(channel));
    },
    /** @param {PageState} state @param {PageChannel} channel */
    isUnread: (state, channel) => newest(channel) > (seen.get(key(state, channel)) ?? ''),
  };
}
