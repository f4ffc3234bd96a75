import type { LedgerMessage } from '../../ledger/model/types.ts';
import type { ListSummary } from '../lists/list.ts';
import { createListTally } from '../lists/tally.ts';
import { readNumber } from '../texts/phone.ts';

/** What a preview says of messages that were checked once before and are to be sent again. At least one. */
export function summarise(messages: LedgerMessage[]): ListSummary {
  const tally = createListTally();
  for (const { phone, text, row = 0 } of messages) {
    const e164 = `+${phone}`;
    const number = readNumber(e164);
    tally.add(row, number.kind === 'number' ? number : { e164 }, text, false);
  }
  const figures = tally.result();
  if (!figures) throw new Error('there is nothing to send again');
  return {
    rows: messages.length,
    toSend: messages.length,
    wrong: { wrong_number: 0, duplicate: 0, empty_placeholder: 0, too_long: 0 },
    ...figures,
    wrongRows: [],
  };
}
