// @ts-check
import { h } from './dom.js';
import { mark } from './icons.js';

/** @typedef {import('../page-state.ts').PageState} PageState */

/** The name of a person or of the bot. @param {PageState} state @param {string} id */
export function nameOf(state, id) {
  if (id === state.bot.userId) return state.bot.name;
  return state.people.find((person) => person.id === id)?.name;
}

/** A small picture of somebody: the first letter, in one of six colours that stays theirs. @param {PageState} state @param {string} id */
export function avatar(state, id) {
  if (id === state.bot.userId) return h('span', { class: 'avatar bot', 'aria-hidden': 'true' }, mark());
  const at = state.people.findIndex((person) => person.id === id);
  const colour = Math.max(0, at) % 6;
  const letter = (nameOf(state, id) ?? '?').slice(0, 1).toUpperCase();
  return h('span', { class: `avatar colour-${colour}`, 'aria-hidden': 'true' }, letter);
}

/** Whose screen this is. @param {PageState} state */
export function whoAmI(state) {
  return state.people.find((person) => person.id === state.as);
}

/** The first person of a role, such as "admin". @param {PageState} state @param {RegExp} role */
export const firstOf = (state, role) => state.people.find((person) => role.test(person.role));

/** How a channel is called: `#sales`, or a name. @param {import('../page-state.ts').PageChannel} channel */
export function titleOf(channel) {
  if (channel.kind === 'im') return channel.name || 'Direct message';
  return `#${channel.name}`;
}

/** The sign before a channel's name. @param {import('../page-state.ts').PageChannel} channel @returns {import('./icons.js').IconName} */
export const signOf = ({ kind }) => (kind === 'im' ? 'person' : kind === 'private' ? 'lock' : 'hash');
