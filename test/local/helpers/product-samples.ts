import { ADMIN, AT, SALES } from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import type { SendView } from '../../../src/core/sends/send-view.ts';
import { countSegments } from '../../../src/core/texts/segments.ts';

/** A text of Adam's to a British number. */
export function aText(fields: Partial<SendView> = {}): SendView {
  const text = fields.text ?? 'Hello from Switchboard';
  return {
    id: 'send-1',
    team: 'T1',
    channel: SALES,
    instance: 'acme',
    state: 'draft',
    e164: '+442079460958',
    text,
    segments: countSegments(text),
    createdAt: AT,
    expiresAt: AT + 900_000,
    outcome: 'pending',
    details: {
      by: ADMIN,
      e164: '+442079460958',
      country: 'GB',
      accountId: 'https://sms.example/api/v1#1',
      estimate: { credits: 1, basis: 'documented' },
      balance: 999,
      receiptLine: true,
    },
    ...fields,
  };
}

export const SETTINGS = DEFAULT_SETTINGS;
