// @ts-check
import { shortTime } from '/page/dates.js';
import { h, keyed } from '/page/dom.js';
import { icon } from '/page/icons.js';

/** @typedef {import('../panels.ts').PhonesPanelState} PhonesPanelState */
/** @typedef {PhonesPanelState['texts'][number]} Text */

/** The phones, the one with the newest text first; the texts of each, newest last. @param {readonly Text[]} texts */
function byPhone(texts) {
  /** @type {Map<string, Text[]>} */
  const phones = new Map();
  for (const text of texts) {
    const own = phones.get(text.phone) ?? [];
    phones.delete(text.phone);
    phones.set(text.phone, [...own, text]);
  }
  return [...phones].reverse().map(([number, own]) => ({ number, own }));
}

/** If more texts arrive together, a screen reader reads only their number. */
const MOST_TOLD = 3;

/** @param {number} texts */
const said = (texts) => `${texts.toLocaleString('en')} text${texts === 1 ? '' : 's'}`;

/** The phones beside the channel. @param {import('../../packages/slack-playground/src/page/panels.js').Tools} tools */
export function createPanel({ root, announce }) {
  const list = h('div', { class: 'phone-list' });
  const empty = h(
    'div',
    { class: 'phone is-empty' },
    h('div', { class: 'phone-top' }, icon('phone'), h('span', {}, 'Nobody yet')),
    h('p', { class: 'quiet' }, 'Texts arrive here, on their recipients’ phones.'),
  );
  const count = h('span', { class: 'count' });
  const scroller = h(
    'div',
    { class: 'panel-scroll', role: 'region', 'aria-label': 'The phones’ screens', tabindex: '0' },
    empty,
    list,
  );
  root.replaceChildren(
    h('header', { class: 'panel-head' }, h('h2', { id: 'phones-title' }, 'Phones'), count),
    scroller,
  );

  /** @type {Set<number> | undefined} */
  let known;
  /** @type {WeakMap<Element, Element>} */
  const screens = new WeakMap();

  /** @param {Text} text */
  function bubble(text) {
    const fresh = known !== undefined && !known.has(text.id);
    return h(
      'li',
      { class: fresh ? 'bubble arriving' : 'bubble' },
      h('p', {}, text.text),
      h('time', { datetime: new Date(text.at).toISOString() }, shortTime(text.at)),
    );
  }

  /** @param {string} number */
  function phone(number) {
    const screen = h('ol', { class: 'screen' });
    const node = h(
      'article',
      { class: 'phone', 'aria-label': `Phone ${number}` },
      h('h3', { class: 'phone-top' }, icon('phone'), h('span', {}, number)),
      screen,
    );
    screens.set(node, screen);
    return node;
  }

  return {
    /** Returns how many texts have arrived, for the tab of a small screen. @param {PhonesPanelState} shown */
    update({ texts, textsInAll }) {
      const phones = byPhone(texts);
      keyed(list, phones, {
        key: ({ number }) => number,
        stamp: ({ number }) => number,
        render: ({ number }) => phone(number),
      });
      for (const [at, { own }] of phones.entries()) {
        const screen = screens.get(/** @type {Element} */ (list.children[at]));
        if (!screen) continue;
        keyed(screen, own, { key: ({ id }) => String(id), stamp: ({ id }) => String(id), render: bubble });
        if (own.some(({ id }) => !known?.has(id))) screen.scrollTop = screen.scrollHeight;
      }
      const arrived = known ? texts.filter(({ id }) => !known?.has(id)) : [];
      if (arrived.length > MOST_TOLD) announce(`${said(arrived.length)} arrive.`);
      else for (const { phone: number, text } of arrived) announce(`A text arrives on ${number}: ${text}`);
      if (arrived.length > 0) scroller.scrollTo({ top: 0 });
      known = new Set(texts.map(({ id }) => id));
      empty.hidden = phones.length > 0;
      const latest = textsInAll > texts.length ? `, the latest ${texts.length} below` : '';
      count.textContent = textsInAll === 0 ? '' : `${said(textsInAll)}${latest}`;
      return textsInAll;
    },
  };
}
