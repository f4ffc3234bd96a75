import type { SendView } from '../../core/sends/send-view.ts';
import { countryName, describeNumber, formatNumber } from '../../core/texts/phone-format.ts';
import { escaped } from './safe-text.ts';

/** Whole, for the requester only: `+44 20 7946 0958 · United Kingdom` */
export function recipient(view: SendView): string {
  const { country } = view.details;
  return escaped(describeNumber({ e164: view.e164, countryName: country && countryName(country) }));
}

/** The same in a line that has more to say: `+44 20 7946 0958` */
export function shortRecipient(view: SendView): string {
  return escaped(formatNumber(view.e164));
}
