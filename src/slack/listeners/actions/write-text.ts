import { z } from 'zod';
import { openSendForm } from '../../open-send-form.ts';
import type { ClickHandler } from './action.ts';

/** What the button carries from a command that could not be read. */
const Prefill = z.object({
  recipient: z.string().optional(),
  message: z.string().optional(),
  channel: z.string().optional(),
});

/** **Write a text**, **Open the form**. */
export const writeText: ClickHandler = async (deps, { person, channel, value, triggerId, to }) => {
  const { recipient, message, channel: chosen } = value === '' ? {} : Prefill.parse(JSON.parse(value));
  await openSendForm(deps, {
    person,
    channel: chosen ?? channel,
    triggerId,
    to,
    ...(recipient === undefined ? {} : { recipient }),
    ...(message === undefined ? {} : { message }),
  });
};
