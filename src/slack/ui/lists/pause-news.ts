import type { JobView } from '../../../core/jobs/job-view.ts';
import { context, type Message, message } from '../blocks.ts';
import { jobCard } from './job-card.ts';
import { listOf } from './job-headline.ts';

/** Direct message to whoever sent a list, once it paused: the card as it is now. Later it says that the pause is over. */
export function pauseNews(view: JobView, now: number): Message {
  const where = `<#${view.channel}>`;
  if (view.state !== 'paused')
    return message(`▶️ *No longer paused*: ${listOf(view)}. Its card in ${where} shows how far it is.`);
  const { text, blocks = [] } = jobCard(view, { now });
  const from = `Sent from ${where}. Its card there shows every change.`;
  return { text: `${text}\n${from}`, blocks: [...blocks, context(from)] };
}
