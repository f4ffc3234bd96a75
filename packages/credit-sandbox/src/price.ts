import { SegmentedMessage } from 'sms-segments-calculator';
import type { Message } from './schema.ts';
import type { Switches } from './switches.ts';

/** The cost of each message of a request, in credits. A price per request is all on the first message. */
export function costsOf(messages: readonly Message[], { per, credits }: Switches['price']): number[] {
  switch (per) {
    case 'message':
      return messages.map(() => credits);
    case 'segment':
      return messages.map(({ message }) => credits * new SegmentedMessage(message).segmentsCount);
    case 'request':
      return messages.map((_, index) => (index === 0 ? credits : 0));
  }
}
