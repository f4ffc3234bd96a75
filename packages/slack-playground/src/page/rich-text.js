// @ts-check
import { h } from './dom.js';
import { channelMention, emoji, link, moment, personMention } from './mrkdwn.js';

/** @import { Names } from './mrkdwn.js' */

const TAGS = /** @type {const} */ ([
  ['code', 'code'],
  ['strike', 's'],
  ['underline', 'u'],
  ['italic', 'em'],
  ['bold', 'strong'],
]);

/** @param {any} one @param {Names} names @returns {Node | string} */
function bare(one, names) {
  switch (one.type) {
    case 'text':
      return one.text;
    case 'link':
      return link(one.url, one.text || one.url);
    case 'user':
      return personMention(one.user_id, names);
    case 'channel':
      return channelMention(one.channel_id, names);
    case 'broadcast':
      return h('span.mention', `@${one.range}`);
    case 'emoji':
      return one.unicode
        ? String.fromCodePoint(
            ...one.unicode.split('-').map((/** @type {string} */ hex) => Number.parseInt(hex, 16)),
          )
        : emoji(one.name);
    case 'date':
      return moment(one.timestamp, one.format, one.fallback);
    case 'color':
      return h('code', one.value);
    default:
      return h('span.mention', `[${one.type}]`);
  }
}

/** @param {any[]} elements @param {Names} names */
function inline(elements, names) {
  return elements.map((one) => {
    let node = bare(one, names);
    for (const [style, tag] of TAGS) if (one.style?.[style]) node = h(tag, node);
    return node;
  });
}

/** @param {any} part @param {Names} names */
function partOf(part, names) {
  switch (part.type) {
    case 'rich_text_section':
      return h('p.rich-line', inline(part.elements, names));
    case 'rich_text_preformatted':
      return h('pre', inline(part.elements, names));
    case 'rich_text_quote':
      return h('blockquote.rich-line', inline(part.elements, names));
    case 'rich_text_list': {
      const items = part.elements.map((/** @type {any} */ item) => h('li', inline(item.elements, names)));
      const start = part.offset ? part.offset + 1 : undefined;
      const list = h(part.style === 'ordered' ? 'ol' : 'ul', { start }, items);
      if (part.indent) list.style.setProperty('--indent', part.indent);
      return list;
    }
    default:
      return h('p', `[${part.type}]`);
  }
}

/** A rich_text block. Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block. @param {any} block @param {Names} names */
export function richText(block, names) {
  return h(
    'div.rich',
    block.elements.map((/** @type {any} */ part) => partOf(part, names)),
  );
}
