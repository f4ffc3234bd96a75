// @ts-check
import { h } from '/page/dom.js';

/** A panel that shows a figure and adds to it. @param {import('../../../src/page/panels.js').Tools} tools */
export function createPanel({ root, act }) {
  const figure = h('p', {});
  const add = () => act('add', { by: 1 });
  root.replaceChildren(
    h('h2', { id: 'sample-title' }, 'Sample'),
    figure,
    h('button', { type: 'button', on: { click: add } }, 'Add'),
  );
  return {
    /** @param {{ figure: number }} shown */
    update(shown) {
      figure.textContent = `The figure is ${shown.figure}`;
      return shown.figure;
    },
  };
}
