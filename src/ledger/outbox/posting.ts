import type { Steps } from '../../store/steps.ts';
import type { Step, View } from '../../store/view.ts';
import type { Poster } from './outbox-types.ts';
import { takeWritten, type WrittenRows } from './take-rows.ts';

/** Runs steps whose messages this process posts itself. Without a poster, every row waits for `takeDue`. */
export function createPostingSteps(steps: Steps) {
  let current: Poster | undefined;

  async function runFor<T>(poster: Poster, step: Step<T>, queue?: string): Promise<T> {
    /** The step may run several times, always with these tokens. */
    const tokens: string[] = [];
    const tokenAt = (place: number) => {
      const fresh = place === tokens.length ? poster.token() : undefined;
      if (fresh !== undefined) tokens.push(fresh);
      return tokens[place];
    };
    let rows: WrittenRows = { taken: [], areLeft: false };
    const stepAndTake = (view: View) => {
      const answer = step(view);
      rows = takeWritten(view, poster.leaseMs, tokenAt);
      return answer;
    };
    const answer = await steps.run(stepAndTake, queue).catch((error: unknown) => {
      for (const token of tokens) poster.lost(token);
      throw error;
    });
    for (const [place, token] of tokens.entries()) poster.post(token, rows.taken[place]);
    if (rows.areLeft) poster.wake();
    return answer;
  }

  return {
    /**
     * As `Steps.run`. If the poster has room, the same commit also takes the rows that the step makes due. The poster
     * gets them once the commit is durable.
     */
    run: <T>(step: Step<T>, queue?: string): Promise<T> =>
      current ? runFor(current, step, queue) : steps.run(step, queue),
    /** From now on this poster gets the rows. */
    postWith(poster: Poster): void {
      current = poster;
    },
  };
}
