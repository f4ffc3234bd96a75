// @ts-check
import { h } from './dom.js';

/** @import { PageState } from '../page-state.ts' */

/**
 * What a panel's module, `/panels/ID.js`, exports as `createPanel(tools)`. `update` gets what the panel shows. If
 * things in the panel can be news, it returns how many things there are.
 * @typedef {{ update: (shown: any) => number | void }} Panel
 */

/**
 * What a panel is given.
 * @typedef {object} Tools
 * @property {HTMLElement} root
 * @property {(text: string) => void} announce
 * @property {(action: string, body: object) => Promise<boolean>} act Asks the server; whether it did so.
 * @property {(control: HTMLElement) => void} restart Kills the bot and starts a new one.
 * @property {(control: HTMLElement, text: string) => void} startOver After a question: `text` says what is forgotten.
 */

/**
 * The panels beside the channel, from the program that started the playground.
 * @param {Tools} options `root`: where they go.
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
    const { createPanel } = await import(`/panels/${id}.js`);
    return createPanel({ root: section, ...tools });
  }

  return {
    /** Loads the panels of the first state; resolves when they can be updated. @param {PageState} first */
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
    /** How many things there are in each panel. @param {PageState} now @returns {Record<string, number>} */
    update(now) {
      return Object.fromEntries([...panels].map(([id, panel]) => [id, panel.update(now.panels[id]) ?? 0]));
    },
  };
}
