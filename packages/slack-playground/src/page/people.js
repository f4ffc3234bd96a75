// @ts-check
import { h } from './dom.js';
import { mark } from './icons.js';

/** @import { PageChannel, PageState } from '../page-state.ts' */

/** The name of a person or of the bot. @param {PageState} state @param {string} id */
export function nameOf(state, id) {
  if (id === state.bot.userId) return state.bot.name;
  return state.people.find((person) => person.id === id)?.name;
}

const COLOURS = ['#7b4a2a', '#2f5d8a', '#7a3e6d', '#4b6a2b', '#8a3b3b', '#4c5566'];

/** A small picture of somebody: their first letter, always in the same colour. @param {PageState} state @param {string} id */
export function avatar(state, id) {
  if (id === state.bot.userId) return h('span.avatar.bot', { 'aria-hidden': 'true' }, mark());
  const at = state.people.findIndex((person) => person.id === id);
  const letter = (nameOf(state, id) ?? '?').slice(0, 1).toUpperCase();
  const face = h('span.avatar', { 'aria-hidden': 'true' }, letter);
  face.style.background = COLOURS[Math.max(0, at) % COLOURS.length];
  return face;
}

/** The person whose screen this is. @param {PageState} state */
export function whoAmI(state) {
  return state.people.find((person) => person.id === state.as);
}

/** A channel's title: `#sales`; of a direct message, the other one's name. @param {PageChannel} channel */
export function titleOf(channel) {
  if (channel.kind === 'im') return channel.name || 'Direct message';
  return `#${channel.name}`;
}

/** The sign before a channel's name. @param {PageChannel} channel @returns {import('./icons.js').IconName} */
export const signOf = ({ kind }) => (kind === 'im' ? 'person' : kind === 'private' ? 'lock' : 'hash');
