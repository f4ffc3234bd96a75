import type { Button } from '@slack/types';
import { z } from 'zod';
import { button } from './blocks.ts';
import { ACTIONS } from './ids.ts';

/** What the send form begins with, as the button that opens it carries it. */
export const Prefill = z.object({
  recipient: z.string().optional(),
  message: z.string().optional(),
  channel: z.string().optional(),
});
export type Prefill = z.infer<typeof Prefill>;

/** A button's value: docs.slack.dev/reference/block-kit/block-elements/button-element. */
const VALUE_MAX = 2000;

/** Whether a button can carry this whole. */
export function fitsButton(prefill: Prefill): boolean {
  return JSON.stringify(prefill).length <= VALUE_MAX;
}

/** The button that opens the send form. A message that does not fit is left out, never cut: a part must not be sent. */
export function formButton(label: 'Write a text' | 'Open the form', prefill: Prefill = {}): Button {
  const { message, ...rest } = prefill;
  const carried = Object.fromEntries(
    Object.entries(fitsButton(prefill) ? prefill : rest).filter(([, value]) => value !== ''),
  );
  const value = Object.keys(carried).length === 0 ? undefined : JSON.stringify(carried);
  return button(ACTIONS.writeText, label, value);
}

/** The button that opens the form for a whole list. */
export function listButton(): Button {
  return button(ACTIONS.writeBulk, 'Text a list');
}
