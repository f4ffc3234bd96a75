// @ts-check
import { h } from './dom.js';

/** A line while the bot starts or is down. */
export function createBotState() {
  const root = h('p.bot-state', { role: 'status', hidden: true });
  let wasRunning = false;
  return {
    root,
    /** @param {import('../page-state.ts').PageState['bot']} now */
    update({ name, state }) {
      const line =
        state === 'running'
          ? ''
          : state === 'down'
            ? `${name} is down. Commands and buttons get no answer.`
            : `${name} is ${wasRunning ? 'restarting' : 'starting'} …`;
      if (state === 'running') wasRunning = true;
      if (root.textContent !== line)
        root.replaceChildren(...(line ? [h('span.pulse', { 'aria-hidden': 'true' }), line] : []));
      root.hidden = line === '';
    },
  };
}
