// @ts-check
import { whoAmI } from './people.js';
import { post } from './post.js';

/** @import { PageState, Step } from '../page-state.ts' */
/** @import { Answer } from './post.js' */

/** Which roles can do a step, and which role the page changes to if the current person can't. */
const DOERS = {
  admin: { can: /admin|owner/i, first: /admin|owner/i },
  staff: { can: /^(?!.*(?:guest|another))/i, first: /^member/i },
  guest: { can: /guest/i, first: /guest/i },
};

/**
 * What the steps of **Try this** do: each fills in the composer, and the person presses Enter.
 * @param {object} options
 * @param {() => PageState | undefined} options.state
 * @param {(id: string) => void} options.actAs
 * @param {(id: string) => void} options.openChannel
 * @param {(text: string, after: string) => void} options.fill
 * @param {(after: string) => void} options.remind Replaces the sentence about what to do after Enter.
 * @param {(problem: string) => void} options.complain
 * @param {(answer: Promise<Answer>) => Promise<boolean>} options.tell
 */
export function createSteps({ state, actAs, openChannel, fill, remind, complain, tell }) {
  /** The step to fill in when this person's screen is there. @type {{ as: string, step: Step } | undefined} */
  let later;
  /** The id of the step that can't begin yet. @type {string | undefined} */
  let waiting;

  /** A person who can do this step, if possible the current one. @param {PageState} now @param {Step} step */
  function doer(now, { by }) {
    const me = whoAmI(now);
    const { can, first } = DOERS[by];
    return can.test(me?.role ?? '') ? me : now.people.find(({ role }) => first.test(role));
  }

  /** @param {NonNullable<Step['copies']>} copies */
  async function copy({ text, after }) {
    try {
      await navigator.clipboard.writeText(text);
      remind(after);
    } catch {
      // The browser does not allow it: what the composer says about the step stays right.
    }
  }

  /** @param {PageState} now @param {Step} step */
  function write(now, step) {
    if (now.channels.some(({ id }) => id === now.home)) openChannel(now.home);
    fill(step.types, step.after);
    if (step.copies) void copy(step.copies);
    void tell(post('/act/step', { id: step.id }));
  }

  return {
    /** @param {Step} step */
    start(step) {
      const now = state();
      if (!now) return;
      waiting = step.needs && step.id;
      if (step.needs !== undefined) return complain(step.needs);
      const person = doer(now, step);
      if (!person || person.id === now.as) return write(now, step);
      later = { as: person.id, step };
      actAs(person.id);
    },
    /** @param {PageState} now */
    stateCame(now) {
      if (waiting && !now.tryThis?.steps.find(({ id }) => id === waiting)?.needs) {
        waiting = undefined;
        complain('');
      }
      if (later?.as !== now.as) return;
      const { step } = later;
      later = undefined;
      write(now, step);
    },
  };
}
