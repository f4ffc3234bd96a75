import { showStatus } from '../../show-status.ts';
import type { ClickHandler } from './action.ts';

/** **Status**, to the person. */
export const clickStatus: ClickHandler = async (deps, { person, channel, answer }) => {
  await answer(await showStatus(deps, person, channel));
};
