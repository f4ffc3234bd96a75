import { openSendForm } from '../../forms/open-send-form.ts';
import { Prefill } from '../../ui/prefill.ts';
import type { ClickHandler } from './action.ts';

/** **Write a text**, **Open the form**. */
export const writeText: ClickHandler = async (deps, { person, channel, value, triggerId, to }) => {
  const { recipient, message, channel: chosen } = value === '' ? {} : Prefill.parse(JSON.parse(value));
  await openSendForm(deps, {
    person,
    channel: chosen ?? channel,
    triggerId,
    to,
    recipient,
    message,
  });
};
