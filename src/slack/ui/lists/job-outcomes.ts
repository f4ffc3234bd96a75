import type { JobView } from '../../../core/jobs/job-view.ts';
import type { Message, ShownMessage } from '../blocks.ts';
import { pieChart } from '../reports/charts.ts';
import { isOver } from './job-figures.ts';

/** Behind the card's headline and its figures, which say the same. */
const BEHIND = 2;

/** A job's card, with a picture of what became of its texts once it is over and they did not all end alike. */
export function withOutcomes(card: Message, view: JobView): ShownMessage {
  const { sent, rejected, notSent, optedOut, repeated, unknown, cancelled, otherStatuses } = view.counts;
  const others = Object.values(otherStatuses).reduce((sum, messages) => sum + messages, 0);
  const chart = pieChart('Outcomes', [
    { name: 'Sent', value: sent },
    { name: 'Rejected', value: rejected },
    { name: 'Not sent', value: notSent },
    { name: 'Opted out', value: optedOut },
    { name: 'Same words already sent', value: repeated },
    { name: 'Unknown', value: unknown },
    { name: 'Cancelled', value: cancelled },
    { name: 'Other statuses', value: others },
  ]);
  if (!isOver(view) || !chart) return { shown: card };
  const blocks = card.blocks.toSpliced(BEHIND, 0, chart);
  return { shown: { ...card, blocks }, plainer: card };
}
