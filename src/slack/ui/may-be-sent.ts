import type { Button } from '@slack/types';
import type { SendView } from '../../core/sends/send-view.ts';
import { button } from './blocks.ts';
import { ACTIONS } from './ids.ts';

/** Ends the value of a button that shows beside the warning. The failover that it is about follows. */
const EVEN_IF_SENT = '/even-if-sent';

/** Beside a draft or a request: the store met another server since, which may lack the decision to send it. */
export const MAY_BE_SENT =
  '⚠️ *This may have been sent already.*\nSwitchboard’s database failed for a moment, and may have lost the record of it.\nBefore you decide, ask a recipient whether it arrived.';

/** The value of a button that sends the draft, or approves the request, as its message shows it. */
export function withEvenIfSent(value: string, { mayBeSent }: Pick<SendView, 'mayBeSent'>): string {
  return mayBeSent ? `${value}${EVEN_IF_SENT}/${mayBeSent}` : value;
}

/** Reads that value. `evenIfSent`: the failover that the person has read about. */
export function readEvenIfSent(of: string): { value: string; evenIfSent: string | undefined } {
  const [value = '', since] = of.split(EVEN_IF_SENT);
  return { value, evenIfSent: since?.slice(1) };
}

/** **Approve and send**. Beside the warning, it says that the person sends all the same, and is not the loudest button. */
export function approveButton(view: Pick<SendView, 'id' | 'mayBeSent'>): Button {
  const value = withEvenIfSent(view.id, view);
  return view.mayBeSent
    ? button(ACTIONS.approveRequest, 'Approve and send anyway', value)
    : button(ACTIONS.approveRequest, 'Approve and send', value, 'primary');
}
