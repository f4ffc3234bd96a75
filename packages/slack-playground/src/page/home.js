// @ts-check
import { inputValues, showBlocks } from './blocks.js';
import { buttonTo, h, keyed } from './dom.js';
import { avatar } from './people.js';

/** @import { PageState } from '../page-state.ts' */
/** @import { Use } from './elements.js' */

/** @typedef {'home' | 'messages'} Tab */

const NAMES = { home: 'Home', messages: 'Messages' };

/**
 * The tabs of the app's own place.
 * @param {(tab: Tab) => void} open
 */
export function createAppTabs(open) {
  const root = h('nav.app-tabs', { hidden: true });
  return {
    root,
    /** @param {PageState} state @param {Tab | undefined} current Undefined outside of the app's own place. */
    update({ app, bot }, current) {
      root.hidden = current === undefined || app.tabs.length < 2;
      root.setAttribute('aria-label', bot.name);
      keyed(root, app.tabs, {
        key: (tab) => tab,
        stamp: (tab) => String(tab === current),
        render: (tab) =>
          buttonTo(
            () => open(tab),
            { 'data-spot': `tab ${tab}`, 'aria-current': tab === current ? 'page' : undefined },
            NAMES[tab],
          ),
      });
    },
  };
}

/**
 * The Home that the app published for this person.
 * @param {object} options
 * @param {HTMLElement} options.root
 * @param {import('./mrkdwn.js').Names} options.names
 * @param {ReturnType<typeof createAppTabs>} options.tabs
 * @param {HTMLElement} options.bot The line about the bot's state; the open place shows it.
 * @param {(view: string, values: Record<string, any>, use: Use) => void} options.act
 */
export function createHome({ root, names, tabs, bot, act }) {
  const face = h('span.app-face');
  const title = h('h2', { id: 'app-title' });
  const empty = h('p.quiet');
  const blocks = h('div.home-blocks');
  const scroller = h('div.scroller', { role: 'region', tabindex: '0' }, empty, blocks);
  root.replaceChildren(
    h('header.channel-head', face, title, h('span.badge', 'App'), tabs.root),
    h('div.scroller-wrap', scroller),
  );
  /** The choices in its elements, by view. @type {Map<string, Map<string, any>>} */
  const drafts = new Map();
  let shown = '';

  /** @param {PageState} state @param {NonNullable<PageState['app']['view']>} view */
  function fill(state, view) {
    const kept = drafts.get(view.id) ?? new Map();
    drafts.set(view.id, kept);
    const where = {
      names,
      state,
      drafts: kept,
      errors: {},
      act: (/** @type {Use} */ use) => act(view.id, inputValues(view.blocks, kept), use),
    };
    // The block_id is no key: if the app gives none, each update has a new one.
    showBlocks(blocks, view.blocks, where, {
      key: (block) => `${view.blocks.indexOf(block)} ${block.type}`,
    });
  }

  return {
    /** @param {PageState} state @param {boolean} open */
    update(state, open) {
      root.hidden = !open;
      root.classList.toggle('channel', open);
      if (!open) return;
      if (bot.parentElement !== root) root.append(bot);
      const { view } = state.app;
      tabs.update(state, 'home');
      face.replaceChildren(avatar(state, state.bot.userId));
      title.textContent = state.bot.name;
      scroller.setAttribute('aria-label', `Home of ${state.bot.name}`);
      empty.hidden = view !== undefined;
      empty.textContent = `${state.bot.name} has not put anything here yet.`;
      blocks.hidden = view === undefined;
      if (view) fill(state, view);
      if (shown !== state.as) scroller.scrollTo({ top: 0 });
      shown = state.as;
    },
  };
}
