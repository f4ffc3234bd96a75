import { ADMIN, AT, SALES } from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import type { SendView } from '../../../src/core/sends/send-view.ts';
import { aSend } from '../../slack/ui/samples.ts';

/** A text from Adam to a British number. */
export function aText(fields: Partial<SendView> = {}): SendView {
  const at = { createdAt: AT, expiresAt: AT + 900_000 };
  return aSend({ channel: SALES, text: 'Hello from Switchboard', ...at, ...fields }, { by: ADMIN });
}

export const SETTINGS = DEFAULT_SETTINGS;
/** The channel and its instance, as previews need them. */
export const LINKED = { link: DEFAULT_SETTINGS, instance: { name: 'Acme' } };
