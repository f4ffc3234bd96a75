// @ts-check
import { formatDate } from './dates.js';
import { buttonTo, h } from './dom.js';
import { icon } from './icons.js';

/**
 * Slack's markup as nodes: no text ever becomes HTML. Source: docs.slack.dev/messaging/formatting-message-text.
 * @typedef {object} Names
 * @property {(id: string) => string | undefined} person
 * @property {(id: string) => string | undefined} channel
 * @property {(id: string) => void} openChannel
 */

/** Code, `<…>`, `*bold*`, `_italic_` and `~strike~` between word edges, `:emoji:`. */
const TOKEN =
  /`([^`\n]+)`|<([^<>\n]+)>|(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\3(?![\p{L}\p{N}])|:([a-z0-9_+-]+):/gu;
const STYLES = /** @type {Record<string, string>} */ ({ '*': 'strong', _: 'em', '~': 's' });
const EMOJI = /** @type {Record<string, [import('./icons.js').IconName, string]>} */ ({
  warning: ['warning', 'Warning'],
  octagonal_sign: ['stop', 'Stop'],
  white_check_mark: ['check', 'Done'],
});

/** @param {string} text */
const decoded = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** `& < >` as entities, as Slack keeps what a person typed. @param {string} text */
export const encoded = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An icon for the few emoji that messages use; any other stays `:name:`. @param {string} name */
export function emoji(name) {
  const known = Object.hasOwn(EMOJI, name) ? EMOJI[name] : undefined;
  return known ? h('span', { class: `emoji emoji-${name}` }, icon(...known)) : `:${name}:`;
}

/** A link to the web, mail or a phone; for any other address only the words. @param {string} url @param {Node | string} [label] */
export function link(url, label = url) {
  if (!/^(?:https?:\/\/|mailto:|tel:)/i.test(url)) return h('span', label);
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, label);
}

/** @param {string} id @param {Names} names @param {string} [label] */
export function personMention(id, names, label) {
  return h('span.mention', `@${names.person(id) ?? label ?? 'somebody'}`);
}

/** @param {string} id @param {Names} names @param {string} [label] */
export function channelMention(id, names, label) {
  const name = names.channel(id);
  if (name === undefined) return h('span.mention', `#${label ?? 'a channel you are not in'}`);
  return buttonTo(() => names.openChannel(id), { class: 'mention mention-link' }, `#${name}`);
}

/** A moment in the reader's own time. @param {number} seconds @param {string} pattern @param {string} [otherwise] */
export function moment(seconds, pattern, otherwise = '') {
  const shown = formatDate(seconds, pattern) ?? otherwise;
  return h('time', { datetime: new Date(seconds * 1000 || 0).toISOString() }, shown);
}

/** The node for the text between < and >. @param {string} inner @param {Names} names */
function angle(inner, names) {
  const bar = inner.indexOf('|');
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? undefined : decoded(inner.slice(bar + 1));
  if (/^@[UW]/.test(target)) return personMention(target.slice(1), names, label);
  if (/^#C/.test(target)) return channelMention(target.slice(1), names, label);
  if (target.startsWith('!date^')) {
    const [, seconds, pattern = '', url] = target.split('^');
    const time = moment(Number(seconds), decoded(pattern), label);
    return url ? link(decoded(url), time) : time;
  }
  if (/^!(?:here|channel|everyone)$/.test(target)) return h('span.mention', `@${target.slice(1)}`);
  if (target.startsWith('!')) return h('span.mention', label ?? target.slice(1));
  if (!/^(?:https?|mailto|tel):/i.test(target)) return decoded(`<${inner}>`);
  return link(decoded(target), label ?? decoded(target).replace(/^(?:mailto|tel):/, ''));
}

/** @param {string} text @param {Names} names @returns {(Node | string)[]} */
function inline(text, names) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    nodes.push(...lines(decoded(text.slice(from, found.index))));
    from = found.index + found[0].length;
    const [, code, inner, style, styled, name] = found;
    if (code !== undefined) nodes.push(h('code', decoded(code)));
    else if (inner !== undefined) nodes.push(angle(inner, names));
    else if (style !== undefined) nodes.push(h(STYLES[style] ?? 'span', inline(styled ?? '', names)));
    else nodes.push(emoji(name ?? ''));
  }
  return [...nodes, ...lines(decoded(text.slice(from)))];
}

/** @param {string} text */
const lines = (text) =>
  text
    .split('\n')
    .flatMap((line, at) => (at === 0 ? [line] : [h('br'), line]))
    .filter((node) => node !== '');

const QUOTED = /^(?:>|&gt;) ?/;

/** Quotes and the lines between them. @param {string} text @param {Names} names */
function paragraphs(text, names) {
  /** @type {{ quote: boolean, lines: string[] }[]} */
  const runs = [];
  for (const line of text.split('\n')) {
    const quote = QUOTED.test(line);
    const last = runs.at(-1);
    const plain = line.replace(QUOTED, '');
    if (last?.quote === quote) last.lines.push(quote ? plain : line);
    else runs.push({ quote, lines: [quote ? plain : line] });
  }
  return runs.flatMap(({ quote, lines: own }) => {
    const nodes = inline(own.join('\n'), names);
    return quote ? [h('blockquote', nodes)] : nodes;
  });
}

/**
 * The nodes of a mrkdwn text.
 * @param {string} text
 * @param {Names} names
 * @returns {DocumentFragment}
 */
export function mrkdwn(text, names) {
  const fragment = document.createDocumentFragment();
  // Line breaks beside a fence belong to it.
  for (const [at, part] of text.split(/\n?```\n?([\s\S]+?)\n?```\n?/).entries()) {
    if (at % 2 === 1) fragment.append(h('pre', decoded(part)));
    else if (part !== '') fragment.append(...paragraphs(part, names));
  }
  return fragment;
}

/** The nodes of a plain_text object: lines, and emoji unless `emoji` is false. @param {any} object */
export function plainText(object) {
  const text = String(object?.text ?? '');
  const parts = object?.emoji === false ? [text] : text.split(/:([a-z0-9_+-]+):/);
  const fragment = document.createDocumentFragment();
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) fragment.append(emoji(part));
    else fragment.append(...lines(part));
  }
  return fragment;
}

/** A text object of either kind. @param {any} object @param {Names} names */
export function textObject(object, names) {
  return object?.type === 'mrkdwn' ? mrkdwn(String(object.text), names) : plainText(object);
}
