// @ts-check
import { h, keyed } from './dom.js';
import { icon, mark } from './icons.js';
import { avatar, titleOf } from './people.js';

/** @typedef {import('../page-state.ts').PageState} PageState */
/** @typedef {import('../page-state.ts').PageChannel} PageChannel */

/**
 * The workspace, its channels and direct messages, and who one is.
 * @param {{ root: HTMLElement, openChannel: (id: string) => void, actAs: (id: string) => void }} options
 */
export function createSidebar({ root, openChannel, actAs }) {
  const team = h('p', { class: 'team' });
  const rooms = h('ul', { class: 'places' });
  const directs = h('ul', { class: 'places' });
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
    ),
    h('fieldset', { class: 'act-as' }, h('legend', {}, 'Act as'), people),
  );
  rooms.setAttribute('aria-labelledby', 'rooms-title');
  directs.setAttribute('aria-labelledby', 'directs-title');

  /** @param {PageChannel} channel @param {boolean} open @param {boolean} unread @param {PageState} state */
  function place(channel, open, unread, state) {
    const face =
      channel.kind === 'im' && channel.name === state.bot.name
        ? avatar(state, state.bot.userId)
        : icon(channel.kind === 'im' ? 'person' : channel.kind === 'private' ? 'lock' : 'hash');
    return h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          class: unread ? 'place unread' : 'place',
          'aria-current': open ? 'page' : undefined,
          'data-spot': channel.id,
          on: { click: () => openChannel(channel.id) },
        },
        face,
        h('span', { class: 'place-name' }, titleOf(channel).replace(/^#/, '')),
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
    /** @param {PageState} state @param {string | undefined} current @param {(channel: PageChannel) => boolean} unread */
    update(state, current, unread) {
      team.textContent = state.team.name;
      const how = {
        key: (/** @type {PageChannel} */ { id }) => id,
        stamp: (/** @type {PageChannel} */ channel) =>
          JSON.stringify([
            channel.name,
            channel.kind,
            channel.id === current,
            unread(channel),
            state.bot.name,
          ]),
        render: (/** @type {PageChannel} */ channel) =>
          place(channel, channel.id === current, unread(channel), state),
      };
      const isDirect = (/** @type {PageChannel} */ { kind }) => kind === 'im';
      keyed(
        rooms,
        state.channels.filter((channel) => !isDirect(channel)),
        how,
      );
      keyed(directs, state.channels.filter(isDirect), how);
      noDirects.hidden = state.channels.some(isDirect);
      keyed(people, state.people, {
        key: ({ id }) => id,
        stamp: (person) => JSON.stringify(person),
        render: (person) => personRow(state, person),
      });
      for (const input of people.querySelectorAll('input')) input.checked = input.value === state.as;
    },
  };
}
