// @ts-check
import { buttonTo, h, keyed } from './dom.js';
import { icon, mark } from './icons.js';
import { avatar, signOf, titleOf } from './people.js';

/** @import { PageChannel, PageState } from '../page-state.ts' */

/** @typedef {{ spot: string, name: string, face: 'app' | import('./icons.js').IconName, open: boolean, unread: boolean }} Place */

/**
 * The workspace's channels and direct messages, and the choice of the person that you act as.
 * @param {{ root: HTMLElement, openChannel: (id: string) => void, openApp: () => void, actAs: (id: string) => void }} options
 */
export function createSidebar({ root, openChannel, openApp, actAs }) {
  const team = h('p.team');
  const rooms = h('ul.places', { 'aria-labelledby': 'rooms-title' });
  const directs = h('ul.places', { 'aria-labelledby': 'directs-title' });
  const apps = h('ul.places', { 'aria-labelledby': 'apps-title' });
  const appsPart = h('div', { hidden: true }, h('h2', { id: 'apps-title' }, 'Apps'), apps);
  const noDirects = h('p.quiet.small', 'None yet. A message for you alone comes here.');
  const people = h('div.people');
  root.replaceChildren(
    h('header.brand', mark(), h('div', team, h('p.brand-more', 'On your machine'))),
    h(
      'nav',
      { 'aria-label': 'Channels and direct messages' },
      h('h2', { id: 'rooms-title' }, 'Channels'),
      rooms,
      h('h2', { id: 'directs-title' }, 'Direct messages'),
      directs,
      noDirects,
      appsPart,
    ),
    h('fieldset.act-as', h('legend', 'Act as'), people),
  );

  /** @param {PageState} state @param {Place} place */
  function placeRow(state, { spot, name, face, open, unread }) {
    return h(
      'li',
      buttonTo(
        () => (spot === 'app' ? openApp() : openChannel(spot)),
        {
          class: unread ? 'place unread' : 'place',
          'aria-current': open ? 'page' : undefined,
          'data-spot': spot,
        },
        face === 'app' ? avatar(state, state.bot.userId) : icon(face),
        h('span.place-name', name),
        unread && h('span.dot', h('span.unseen', 'new messages')),
      ),
    );
  }

  /** @param {PageState} state @param {PageState['people'][number]} person */
  function personRow(state, person) {
    const id = `as-${person.id}`;
    return h(
      'div.person',
      h('input', {
        type: 'radio',
        name: 'as',
        id,
        value: person.id,
        'data-spot': id,
        checked: person.id === state.as,
        on: { change: () => actAs(person.id) },
      }),
      h(
        'label',
        { for: id },
        avatar(state, person.id),
        h('span.person-name', person.name),
        h('span.role', person.role),
      ),
    );
  }

  return {
    /**
     * `current`: the id of the open channel; `inApp`: whether the app's own place is open.
     * @param {PageState} state @param {string | undefined} current @param {boolean} inApp
     * @param {(channel: PageChannel) => boolean} unread
     */
    update(state, current, inApp, unread) {
      team.textContent = state.team.name;
      /** @param {PageChannel} channel @returns {Place} */
      const placeOf = (channel) => ({
        spot: channel.id,
        name: titleOf(channel).replace(/^#/, ''),
        face: channel.isWithBot ? 'app' : signOf(channel),
        open: channel.id === current && !inApp,
        unread: unread(channel),
      });
      /** @param {HTMLElement} list @param {readonly Place[]} places */
      const show = (list, places) =>
        keyed(list, places, { key: ({ spot }) => spot, render: (place) => placeRow(state, place) });

      // If the app has a Home, its direct messages are a tab beside it.
      const hasPlace = state.app.tabs.includes('home');
      const heard = state.channels.some((channel) => channel.isWithBot && unread(channel));
      /** @type {Place} */
      const app = { spot: 'app', name: state.bot.name, face: 'app', open: inApp, unread: heard };
      appsPart.hidden = !hasPlace;
      show(apps, hasPlace ? [app] : []);
      const direct = state.channels.filter(
        ({ kind, isWithBot }) => kind === 'im' && !(isWithBot && hasPlace),
      );
      show(rooms, state.channels.filter(({ kind }) => kind !== 'im').map(placeOf));
      show(directs, direct.map(placeOf));
      noDirects.hidden = direct.length > 0;
      keyed(people, state.people, {
        key: ({ id }) => id,
        render: (person) => personRow(state, person),
      });
      for (const input of people.querySelectorAll('input')) input.checked = input.value === state.as;
    },
  };
}
