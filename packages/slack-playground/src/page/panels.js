// @ts-check
import { h } from './dom.js';

/** @import { PageState } from '../page-state.ts' */

/**
 * What `createPanel(tools)` of a panel's module, `/panels/ID.js`, returns. `update` gets what the panel shows. It may
 * return how many things the panel has: on a small screen, the tab counts the new ones.
 * @typedef {{ update: (shown: any) => number | void }} Panel
 */

/**
 * What a panel gets.
 * @typedef {object} Tools
 * @property {HTMLElement} root
 * @property {(text: string) => void} announce
 * @property {(action: string, body: object) => Promise<boolean>} act Asks the server. Resolves with whether it worked.
 * @property {(control: HTMLElement) => void} restart Kills the bot and starts a new one.
 * @property {(control: HTMLElement, text: string) => void} startOver Asks first; `text` says what is lost.
 */

/**
 * The panels beside the channel, from the program that serves the page.
 * @param {Tools} options `root` is for all panels; each gets a section in it.
 */
export function createPanels({ root, ...tools }) {
  /** @type {Map<string, Panel>} */
  const panels = new Map();
  /** @param {string} id */
  async function load(id) {
    const section = h('section', {
      class: `panel ${id}`,
      id: `panel-${id}`,
      'aria-labelledby': `${id}-title`,
    });
    root.append(section);
    try {
      const { createPanel } = await import(`/panels/${id}.js`);
      return createPanel({ root: section, ...tools });
    } catch (error) {
      section.replaceChildren(h('p.problem', `This panel can’t be loaded: ${error}`));
      return { update() {} };
    }
  }

  return {
    /** Loads the panels; `update` works once it has resolved. @param {PageState} first */
    async open({ tabs }) {
      root.hidden = tabs.length === 0;
      if (root.hidden) return;
      const styled = new Promise((done) => {
        const on = { load: done, error: done };
        document.head.append(h('link', { rel: 'stylesheet', href: '/panels/panels.css', on }));
      });
      const loaded = await Promise.all(tabs.map(({ id }) => load(id)));
      await styled;
      for (const [at, { id }] of tabs.entries()) panels.set(id, loaded[at]);
    },
    /** Updates all panels. Returns how many things each has. @param {PageState} now @returns {Record<string, number>} */
    update(now) {
      return Object.fromEntries([...panels].map(([id, panel]) => [id, panel.update(now.panels[id]) ?? 0]));
    },
  };
}
