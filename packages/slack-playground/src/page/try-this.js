// @ts-check
import { copyableKey } from './copy.js';
import { buttonTo, h, replaceKeepingFocus } from './dom.js';
import { icon } from './icons.js';

/** @typedef {import('../page-state.ts').PageState} PageState */
/** @typedef {import('../page-state.ts').Step} Step */
/** @typedef {import('../page-state.ts').TryThis} TryThis */

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'];

/**
 * The steps: large at first, smaller as soon as the channel has other things to show; those that are done become a line.
 * @param {{ start: (step: Step) => void, announce: (text: string) => void }} options
 */
export function createTryThis({ start, announce }) {
  const card = h('section', { class: 'try', 'aria-labelledby': 'try-title' });
  let stamp = '';
  /** The steps that were still to do. @type {Set<string> | undefined} */
  let left;

  /** @param {TryThis} tryThis */
  function render({ steps: all, key }) {
    const toDo = all.filter(({ done }) => !done).length;
    const next = all.find(({ done }) => !done);
    const steps = all.map((step, at) => {
      const { id, name, text, done } = step;
      return h(
        'li',
        { class: done ? 'step done' : step === next ? 'step next' : 'step' },
        buttonTo(
          () => start(step),
          { 'data-spot': id },
          h('span', { class: 'tick', 'aria-hidden': 'true' }, done ? icon('check') : String(at + 1)),
          h(
            'span',
            { class: 'step-words' },
            h(
              'span',
              { class: 'step-name' },
              h('span', { class: 'unseen' }, `Step ${at + 1}: `),
              name,
              done && h('span', { class: 'unseen' }, ' (done)'),
            ),
            h('span', { class: 'step-text' }, text),
          ),
        ),
      );
    });
    return h(
      'div',
      { class: 'try-inside' },
      h(
        'div',
        { class: 'try-head' },
        h('h2', { id: 'try-title' }, 'Try this'),
        h(
          'p',
          { class: 'try-count' },
          toDo === 0
            ? `All ${NUMBERS[all.length] ?? all.length} done. It is yours now.`
            : `${all.length - toDo} of ${all.length} done`,
        ),
      ),
      h('ol', { class: 'steps' }, steps),
      key &&
        h(
          'div',
          { class: 'try-key' },
          icon('key'),
          h('span', {}, key.label),
          copyableKey({ key: key.key, name: key.name, announce }),
        ),
    );
  }

  return {
    card,
    /** @param {PageState} state @param {boolean} busy Whether the channel has other things to show. */
    update({ tryThis, team, bot }, busy) {
      if (!tryThis) return;
      const { steps } = tryThis;
      card.classList.toggle('compact', busy || steps.some(({ done }) => done));
      card.classList.toggle(
        'all-done',
        steps.every(({ done }) => done),
      );
      const now = JSON.stringify([tryThis, team.name, bot.name]);
      if (now === stamp) return;
      stamp = now;
      const fresh = render(tryThis);
      if (card.firstElementChild) replaceKeepingFocus(card.firstElementChild, fresh);
      else card.append(fresh);
      for (const { id, name, done } of steps) {
        if (done && left?.has(id)) announce(`Done: ${name}.`);
      }
      left = new Set(steps.filter(({ done }) => !done).map(({ id }) => id));
    },
  };
}
