import type { JobView } from '../../../core/jobs/job-view.ts';
import { context, type Message, message } from '../blocks.ts';
import { pausedPart } from './job-card.ts';
import { listOf } from './job-headline.ts';

/** Direct message to whoever sent a list, once it paused: why, and the next step. Later it says that the pause is over. */
export function pauseNews(view: JobView): Message {
  const from = `Sent from <#${view.channel}>. Its card has all figures.`;
  if (view.state !== 'paused') return message(`▶️ *No longer paused*: ${listOf(view)}\n${from}`);
  const { text, blocks } = pausedPart(view);
  return { text: `${text}\n${from}`, blocks: [...blocks, context(from)] };
}
