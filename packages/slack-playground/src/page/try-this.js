// @ts-check
import { copyableKey } from './copy.js';
import { h, replaceKeepingFocus } from './dom.js';
import { icon } from './icons.js';

/** @typedef {import('../page-state.ts').PageState} PageState */
/** @typedef {import('../page-state.ts').Step} Step */

/** The steps, in the order in which they make sense. @type {readonly { id: Step, name: string, text: string }[]} */
const STEPS = [
  { id: 'link', name: 'Link', text: 'Tie #sales to prepaid credits: paste the sandbox key into the form.' },
  { id: 'send', name: 'Send', text: 'Text a phone. You see what it costs before anything leaves.' },
  {
    id: 'lose_answer',
    name: 'Lose an answer',
    text: 'The text goes out, but no answer comes back. What now?',
  },
  { id: 'run_low', name: 'Run low', text: 'Nearly all credits are gone, and the channel is warned once.' },
  { id: 'guest', name: 'Act as a guest', text: 'Somebody with fewer rights tries the same.' },
];

/**
 * The five steps: large at first, a line of steps as soon as the channel has other things to show.
 * @param {{ start: (step: Step) => void, announce: (text: string) => void }} options
 */
export function createTryThis({ start, announce }) {
  const card = h('section', { class: 'try', 'aria-labelledby': 'try-title' });
  let stamp = '';
  let wasCompact = false;

  /** @param {PageState} state @param {Step | undefined} next @param {boolean} compact */
  function render(state, next, compact) {
    const left = STEPS.filter(({ id }) => !state.steps[id]).length;
    const key = state.service.keys.find(({ revoked }) => !revoked);
    const steps = STEPS.map(({ id, name, text }, at) => {
      const done = state.steps[id];
      return h(
        'li',
        { class: done ? 'step done' : id === next ? 'step next' : 'step' },
        h(
          'button',
          {
            type: 'button',
            'data-spot': id,
            // There is room for names only: what a step is about shows on demand.
            title: compact && text,
            on: { click: () => start(id) },
          },
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
          left === 0 ? 'All five done. It is yours now.' : `${STEPS.length - left} of ${STEPS.length} done`,
        ),
      ),
      h('ol', { class: 'steps' }, steps),
      key &&
        !state.steps.link &&
        h(
          'div',
          { class: 'try-key' },
          icon('key'),
          h('span', {}, 'Sandbox key'),
          copyableKey({ key: key.key, name: key.name, announce }),
        ),
    );
  }

  return {
    card,
    /** @param {PageState} state @param {boolean} busy Whether the channel has other things to show. */
    update(state, busy) {
      const compact = busy || Object.values(state.steps).some(Boolean);
      card.classList.toggle('compact', compact);
      card.classList.toggle('all-done', Object.values(state.steps).every(Boolean));
      const next = STEPS.find(({ id }) => !state.steps[id])?.id;
      const now = JSON.stringify([state.steps, state.service.keys, state.team.name, state.bot.name]);
      if (now === stamp && compact === wasCompact) return;
      wasCompact = compact;
      const before = stamp === '' ? undefined : JSON.parse(stamp)[0];
      stamp = now;
      const fresh = render(state, next, compact);
      if (card.firstElementChild) replaceKeepingFocus(card.firstElementChild, fresh);
      else card.append(fresh);
      for (const { id, name } of STEPS) {
        if (before && !before[id] && state.steps[id]) announce(`Done: ${name}.`);
      }
    },
  };
}
