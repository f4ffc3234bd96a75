// @ts-check
import { copyableKey } from './copy.js';
import { buttonTo, h, replaceKeepingFocus } from './dom.js';
import { icon } from './icons.js';

/** @import { PageState, Step, TryThis } from '../page-state.ts' */

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'];

/**
 * The steps: large at first, compact once the channel has other things to show. Steps that are done move into one line.
 * @param {{ start: (step: Step) => void, announce: (text: string) => void }} options
 */
export function createTryThis({ start, announce }) {
  const card = h('section.try', { 'aria-labelledby': 'try-title' });
  let stamp = '';
  /** The ids of the steps that were not done at the last update. @type {Set<string> | undefined} */
  let left;

  /** @param {TryThis} tryThis */
  function render({ steps: all, key }) {
    const toDo = all.filter(({ done }) => !done).length;
    const next = all.find(({ done }) => !done);
    const steps = all.map((step, at) => {
      const { id, name, text, done } = step;
      return h(
        `li.step${done ? '.done' : step === next ? '.next' : ''}`,
        buttonTo(
          () => start(step),
          { 'data-spot': id },
          h('span.tick', { 'aria-hidden': 'true' }, done ? icon('check') : String(at + 1)),
          h(
            'span.step-words',
            h(
              'span.step-name',
              h('span.unseen', `Step ${at + 1}: `),
              name,
              done && h('span.unseen', ' (done)'),
            ),
            h('span.step-text', text),
          ),
        ),
      );
    });
    return h(
      'div.try-inside',
      h(
        'div.try-head',
        h('h2', { id: 'try-title' }, 'Try this'),
        h(
          'p.try-count',
          toDo === 0
            ? `All ${NUMBERS[all.length] ?? all.length} done. It is yours now.`
            : `${all.length - toDo} of ${all.length} done`,
        ),
      ),
      h('ol.steps', steps),
      key &&
        h(
          'div.try-key',
          icon('key'),
          h('span', key.label),
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
      const allDone = steps.every(({ done }) => done);
      card.classList.toggle('all-done', allDone);
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
