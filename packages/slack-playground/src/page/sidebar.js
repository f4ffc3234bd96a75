// @ts-check
import { buttonTo, h, keyed } from './dom.js';
import { icon, mark } from './icons.js';
import { avatar, titleOf } from './people.js';

/** @typedef {import('../page-state.ts').PageState} PageState */
/** @typedef {import('../page-state.ts').PageChannel} PageChannel */

/**
 * The workspace, its channels and direct messages, and who you act as.
 * @param {{ root: HTMLElement, openChannel: (id: string) => void, openApp: () => void, actAs: (id: string) => void }} options
 */
export function createSidebar({ root, openChannel, openApp, actAs }) {
  const team = h('p', { class: 'team' });
  const rooms = h('ul', { class: 'places', 'aria-labelledby': 'rooms-title' });
  const directs = h('ul', { class: 'places', 'aria-labelledby': 'directs-title' });
  const apps = h('ul', { class: 'places', 'aria-labelledby': 'apps-title' });
  const appsPart = h('div', { hidden: true }, h('h2', { id: 'apps-title' }, 'Apps'), apps);
  const noDirects = h('p', { class: 'quiet small' }, 'None yet. A message for you alone comes here.');
  const people = h('div', { class: 'people' });
  root.replaceChildren(
    h(
      'header',
      { class: 'brand' },
      mark(),
      h('div', {}, team, h('p', { class: 'brand-more' }, 'On your machine')),
    ),
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
    h('fieldset', { class: 'act-as' }, h('legend', {}, 'Act as'), people),
  );

  /** @param {PageChannel} channel @param {PageState} state */
  function faceOf(channel, state) {
    if (channel.isWithBot) return avatar(state, state.bot.userId);
    return icon(channel.kind === 'im' ? 'person' : channel.kind === 'private' ? 'lock' : 'hash');
  }

  /** @param {{ spot: string, name: string, face: Node, open: boolean, unread: boolean, go: () => void }} what */
  function place({ spot, name, face, open, unread, go }) {
    return h(
      'li',
      {},
      buttonTo(
        go,
        {
          class: unread ? 'place unread' : 'place',
          'aria-current': open ? 'page' : undefined,
          'data-spot': spot,
        },
        face,
        h('span', { class: 'place-name' }, name),
        unread && h('span', { class: 'dot' }, h('span', { class: 'unseen' }, 'new messages')),
      ),
    );
  }

  /** @param {PageState} state @param {PageState['people'][number]} person */
  function personRow(state, person) {
    const id = `as-${person.id}`;
    return h(
      'div',
      { class: 'person' },
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
        h('span', { class: 'person-name' }, person.name),
        h('span', { class: 'role' }, person.role),
      ),
    );
  }

  return {
    /**
     * `current`: the channel that is open; `inApp`: whether the app's place, with its Home, is open.
     * @param {PageState} state @param {string | undefined} current @param {boolean} inApp
     * @param {(channel: PageChannel) => boolean} unread
     */
    update(state, current, inApp, unread) {
      team.textContent = state.team.name;
      const how = {
        key: (/** @type {PageChannel} */ { id }) => id,
        stamp: (/** @type {PageChannel} */ channel) =>
          JSON.stringify([
            channel.name,
            channel.kind,
            channel.id === current && !inApp,
            unread(channel),
            state.bot.name,
          ]),
        render: (/** @type {PageChannel} */ channel) =>
          place({
            spot: channel.id,
            name: titleOf(channel).replace(/^#/, ''),
            face: faceOf(channel, state),
            open: channel.id === current && !inApp,
            unread: unread(channel),
            go: () => openChannel(channel.id),
          }),
      };
      // If the app has a Home, its messages to this person are a tab beside the Home.
      const hasPlace = state.app.tabs.includes('home');
      const heard = state.channels.some((channel) => channel.isWithBot && unread(channel));
      appsPart.hidden = !hasPlace;
      keyed(apps, hasPlace ? [state.bot] : [], {
        key: ({ userId }) => userId,
        stamp: ({ name }) => JSON.stringify([name, inApp, heard]),
        render: ({ userId, name }) =>
          place({ spot: 'app', name, face: avatar(state, userId), open: inApp, unread: heard, go: openApp }),
      });
      const isDirect = (/** @type {PageChannel} */ { kind, isWithBot }) =>
        kind === 'im' && !(isWithBot && hasPlace);
      keyed(
        rooms,
        state.channels.filter(({ kind }) => kind !== 'im'),
        how,
      );
      keyed(directs, state.channels.filter(isDirect), how);
      noDirects.hidden = state.channels.some(isDirect);
      keyed(people, state.people, {
        key: ({ id }) => id,
        render: (person) => personRow(state, person),
      });
      for (const input of people.querySelectorAll('input')) input.checked = input.value === state.as;
    },
  };
}
