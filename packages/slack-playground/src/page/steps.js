// @ts-check
import { firstOf, whoAmI } from './people.js';
import { post } from './post.js';

/** @typedef {import('../page-state.ts').PageState} PageState */
/** @typedef {import('../page-state.ts').ActionAnswer} ActionAnswer */

/** Few enough that a channel with the usual threshold of 100 is warned. */
const FEW_CREDITS = 42;

/** The id of the fault that loses the answer to the next text. */
const LOST_ANSWER = 'answer_lost';

/** What each step writes into the composer. Numbers are of the range that is kept for stories. */
const TEXTS = {
  link: '/sms link',
  send: '/sms send +44 20 7946 0958 Hello from Switchboard',
  lose_answer: '/sms send +44 20 7946 0123 Did this one arrive?',
  run_low: '/sms balance',
  guest: '/sms send +44 20 7946 0958 Hello from a guest',
};

/** What comes after Enter. */
const AFTER = {
  link: 'Copy the sandbox key first: the field API key asks for it.',
  send: 'Then look at the draft, and press its Send.',
  lose_answer: 'Then press Send: its answer will be lost.',
  run_low: 'Nearly all credits are gone; the channel hears of it within seconds.',
  guest: 'You are the guest now.',
};

/**
 * What the steps of **Try this** do: they prepare, the person presses Enter.
 * @param {object} options
 * @param {() => PageState | undefined} options.state
 * @param {(id: string) => void} options.actAs
 * @param {(id: string) => void} options.openChannel
 * @param {(text: string, after: string) => void} options.fill
 * @param {(after: string) => void} options.remind Says something else about what comes after Enter.
 * @param {(answer: Promise<ActionAnswer>) => Promise<boolean>} options.tell
 */
export function createSteps({ state, actAs, openChannel, fill, remind, tell }) {
  /** What is to be filled in once the screen of this person is there. @type {{ as: string, step: keyof typeof TEXTS } | undefined} */
  let later;

  /** Who can do this step. @param {PageState} now @param {keyof typeof TEXTS} step */
  function doer(now, step) {
    const me = whoAmI(now);
    if (step === 'guest') return firstOf(now, /guest/i);
    if (step === 'link') return /admin|owner/i.test(me?.role ?? '') ? me : firstOf(now, /admin|owner/i);
    return /guest|another/i.test(me?.role ?? '') ? firstOf(now, /^member/i) : me;
  }

  /** @param {PageState} now */
  function goHome(now) {
    const home = now.channels.find(({ name }) => name === 'sales');
    if (home) openChannel(home.id);
  }

  /** Arms what the step is about. @param {PageState} now @param {keyof typeof TEXTS} step */
  async function arm(now, step) {
    const key = now.service.keys.find(({ revoked }) => !revoked);
    const account = key?.account ?? now.service.accounts[0]?.id;
    if (step === 'link' && key) remind(await copied(key.key));
    if (step === 'lose_answer') await tell(post('/service/fault', { id: LOST_ANSWER, on: true }));
    if (step === 'run_low' && account !== undefined)
      await tell(post('/service/credits', { account, credits: FEW_CREDITS }));
  }

  /** @param {string} key */
  async function copied(key) {
    try {
      await navigator.clipboard.writeText(key);
      return 'Give it a name, and paste the key into the field API key: it is copied already.';
    } catch {
      return AFTER.link;
    }
  }

  /** @param {PageState} now @param {keyof typeof TEXTS} step */
  function write(now, step) {
    goHome(now);
    fill(TEXTS[step], AFTER[step]);
    arm(now, step);
  }

  return {
    /** @param {keyof typeof TEXTS} step */
    start(step) {
      const now = state();
      if (!now) return;
      const person = doer(now, step);
      if (!person || person.id === now.as) return write(now, step);
      later = { as: person.id, step };
      actAs(person.id);
    },
    /** @param {PageState} now */
    stateCame(now) {
      if (later?.as !== now.as) return;
      const { step } = later;
      later = undefined;
      write(now, step);
    },
  };
}
