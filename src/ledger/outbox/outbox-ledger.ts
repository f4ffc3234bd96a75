import { asMethods } from '../model/as-methods.ts';
import type { Json } from '../model/json.ts';
import { announce } from './announce.ts';
import { changeState, namedState } from './named-states.ts';
import type { PostingSteps } from './posting.ts';
import { extendPosting, markPosted, postLater } from './rows-being-posted.ts';
import { nextDueAt, takeDue } from './take-rows.ts';

/** Messages to Slack that must arrive, and named states that change together with them. */
export function createOutboxLedger({ run, postWith }: PostingSteps) {
  return {
    postWith,
    ...asMethods(run, { announce, nextDueAt, extendPosting, namedState, changeState }),
    ...asMethods(run, { takeDue, postLater }, 'outbox'),
    markPosted: (id: string, token: string, posted: Json, againMs?: number) =>
      run((view) => markPosted(view, id, token, { posted, againMs }), 'outbox'),
  };
}
