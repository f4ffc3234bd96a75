import { showBalance } from '../../answers/show-balance.ts';
import { slackErrorOf } from '../../connection/slack-error.ts';
import { CANNOT_POST_HERE } from '../../ui/access-refusals.ts';
import type { ClickHandler } from './action.ts';

/** **Show balance**, to the person. */
export const clickBalance: ClickHandler = async (deps, { person, channel, answer }) => {
  await showBalance(deps, { person, channel }, answer);
};

/** **Share in channel**: read again, since the figure may be old by now. */
export const shareBalance: ClickHandler = async (deps, { person, channel, answer }) => {
  await showBalance(deps, { person, channel, sharedBy: person.id }, async (message) => {
    try {
      await deps.web.chat.postMessage({ channel, ...message });
    } catch (error) {
      if (slackErrorOf(error) !== 'not_in_channel' && slackErrorOf(error) !== 'channel_not_found')
        throw error;
      await answer(CANNOT_POST_HERE);
    }
  });
};
