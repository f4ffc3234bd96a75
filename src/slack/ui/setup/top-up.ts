import type { Button } from '@slack/types';
import { button } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';

/** **Top up**, which opens the channel's top-up link; none where an admin has set no link. */
export function topUpButtons({ topUpUrl }: { topUpUrl?: string | undefined }): Button[] {
  return topUpUrl === undefined ? [] : [{ ...button(ACTIONS.topUp, 'Top up'), url: topUpUrl }];
}
