// @ts-check
import { prune, renderBlock } from './blocks.js';
import { shortTime } from './dates.js';
import { buttonTo, h, keyed } from './dom.js';
import { fileCards } from './files.js';
import { icon } from './icons.js';
import { encoded, mrkdwn } from './mrkdwn.js';
import { avatar, nameOf, signOf, titleOf } from './people.js';
import { shortcutMenu } from './shortcuts.js';

/** @import { PageChannel, PageState } from '../page-state.ts' */
/** @import { Use } from './elements.js' */

/** @typedef {PageChannel['messages'][number]} Message */

const ABOUT = {
  public: 'Everybody here sees what is said',
  private: 'Private: its members only',
  im: 'Between the two of you',
};
/** @param {PageState} state @param {PageChannel} channel */
const quiet = ({ help, bot, commands }, { canType }) => [
  'Nothing has been said here yet.',
  ...(help === undefined || !canType || commands.length === 0
    ? []
    : [' Type ', h('code', help), ` and see what ${bot.name} can do.`]),
];

/** So near to its end, a list counts as read to the end, px. */
const NEAR_PX = 90;

/**
 * The open channel: its name, its messages, and the composer below.
 * @param {object} options
 * @param {HTMLElement} options.root
 * @param {import('./mrkdwn.js').Names} options.names
 * @param {(message: Message, use: Use) => void} options.act
 * @param {(message: Message, shortcut: string) => void} options.shortcut
 * @param {ReturnType<typeof import('./home.js').createAppTabs>} options.tabs Of the app's own place.
 * @param {(file: import('../types.ts').FileInfo) => void} options.openFile
 * @param {HTMLElement} options.card **Try this**, shown in its own channel.
 * @param {HTMLElement} options.bot The line about the bot's state; the open place shows it.
 * @param {readonly HTMLElement[]} options.composer
 * @param {(text: string) => void} options.announce
 */
export function createChannel({ root, names, act, shortcut, tabs, openFile, card, bot, composer, announce }) {
  const face = h('span.app-face');
  const title = h('h2', { id: 'channel-title' });
  const badge = h('span.badge', 'App');
  const about = h('p.about');
  const list = h('div.messages');
  const empty = h('p.quiet', { hidden: true });
  const scroller = h('div.scroller', { role: 'region', tabindex: '0' }, card, empty, list);
  const down = buttonTo(() => toEnd(), { class: 'button to-end', hidden: true }, icon('down'), 'Newest');
  root.replaceChildren(
    h('header.channel-head', face, title, badge, about, tabs.root),
    h('div.scroller-wrap', scroller, down),
    bot,
    ...composer,
  );

  /** The choices in menus of messages, by message. @type {Map<string, Map<string, any>>} */
  const drafts = new Map();
  let shown = '';
  /** @type {Set<string>} */
  let known = new Set();

  /** Whether the person reads the end of the list, which then stays in sight. */
  let atEnd = true;

  const toEnd = () => scroller.scrollTo({ top: scroller.scrollHeight });
  function look() {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
    down.hidden = atEnd;
  }
  scroller.addEventListener('scroll', look);
  // A picture that loads late makes the list longer, a composer that grows makes the part in sight smaller.
  const sizes = new ResizeObserver(() => atEnd && toEnd());
  for (const part of [scroller, list]) sizes.observe(part);

  /** @param {PageState} state @param {PageChannel} channel @param {Message} message */
  function surface(state, channel, message) {
    const key = `${state.as} ${channel.id} ${message.ts}`;
    const kept = drafts.get(key) ?? new Map();
    drafts.set(key, kept);
    prune(kept, message.blocks);
    return {
      names,
      state,
      drafts: kept,
      errors: {},
      act: (/** @type {Use} */ use) => act(message, use),
    };
  }

  /** @param {PageState} state @param {Message} message */
  function words(state, message) {
    const byBot = message.user === state.bot.userId;
    return h('div.text', mrkdwn(byBot ? message.text : encoded(message.text), names));
  }

  /** @param {PageState} state @param {PageChannel} channel @param {Message} message */
  function render(state, channel, message) {
    const at = Number(message.ts) * 1000;
    const where = surface(state, channel, message);
    const byBot = message.user === state.bot.userId;
    const whispered = 'to' in message;
    const body =
      message.blocks.length > 0
        ? message.blocks.map((block) => renderBlock(block, where))
        : message.text !== '' && words(state, message);
    return h(
      `article.message${whispered ? '.whisper' : ''}`,
      {
        'aria-labelledby': `by-${message.ts}`,
        'data-ts': message.ts,
      },
      avatar(state, message.user),
      h(
        'div.message-main',
        whispered && h('p.only-you', icon('eye'), 'Only visible to you'),
        h(
          'header.message-head',
          { id: `by-${message.ts}` },
          h('span.author', nameOf(state, message.user) ?? 'Somebody'),
          byBot && h('span.badge', 'App'),
          h('time', { datetime: new Date(at).toISOString() }, shortTime(at)),
          message.edited === true && h('span.edited', 'edited'),
          // As in Slack, a message that only one person sees has no shortcuts.
          !whispered && shortcutMenu(state, 'message', (id) => shortcut(message, id)),
        ),
        h('div.message-body', body, message.files && fileCards(message.files, state.as, openFile)),
      ),
    );
  }

  /** @param {PageState} state @param {readonly Message[]} messages */
  function tell(state, messages) {
    for (const message of messages) {
      if (known.has(message.ts) || message.user === state.as) continue;
      const files = (message.files ?? []).map(({ name }) => `file ${name}`);
      const said = [words(state, message).textContent, ...files].filter(Boolean).join(', ');
      announce(`${nameOf(state, message.user) ?? 'Somebody'}: ${said}`);
    }
  }

  /** For the direct message with the bot, the same head as on its Home. @param {PageState} state @param {PageChannel | undefined} channel */
  function head(state, channel) {
    const isWithBot = channel?.isWithBot === true;
    face.hidden = !isWithBot;
    badge.hidden = !isWithBot;
    face.replaceChildren(...(isWithBot ? [avatar(state, state.bot.userId)] : []));
    const name = channel ? titleOf(channel) : 'No channel';
    title.replaceChildren(...(channel && !isWithBot ? [icon(signOf(channel))] : []), name.replace(/^#/, ''));
    about.textContent = channel ? ABOUT[channel.kind] : '';
    if (channel) scroller.setAttribute('aria-label', `Messages in ${name}`);
  }

  /** @param {PageState} state @param {PageChannel} channel */
  function fill(state, channel) {
    const around = JSON.stringify([
      state.as,
      state.people,
      state.bot.name,
      state.shortcuts,
      state.channels.map(({ id, name }) => [id, name]),
    ]);
    keyed(list, channel.messages, {
      key: ({ ts }) => ts,
      stamp: (message) => JSON.stringify(message) + around,
      render: (message) => render(state, channel, message),
    });
  }

  return {
    /** Scrolls to the newest message. */
    toEnd,
    /** @param {PageState} state @param {PageChannel | undefined} channel @param {boolean} withCard */
    update(state, channel, withCard) {
      if (channel && bot.parentElement !== root) composer[0]?.before(bot);
      card.hidden = !withCard || state.tryThis === undefined;
      empty.hidden = (channel?.messages.length ?? 0) > 0;
      empty.replaceChildren(...(channel ? quiet(state, channel) : ['This person is in no channel.']));
      head(state, channel);
      if (!channel) return list.replaceChildren();
      const place = `${state.as} ${channel.id}`;
      const moved = place !== shown;

      if (!moved) tell(state, channel.messages);
      known = new Set(channel.messages.map(({ ts }) => ts));
      shown = place;
      tabs.update(state, channel.isWithBot && state.app.tabs.includes('home') ? 'messages' : undefined);
      fill(state, channel);
      if (moved && withCard && channel.messages.length <= 1) scroller.scrollTo({ top: 0 });
      else if (moved || atEnd) toEnd();
      look();
      if (moved) down.hidden = true;
    },
  };
}
