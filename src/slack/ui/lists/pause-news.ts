import type { JobView } from '../../../core/jobs/job-view.ts';
import { context, type Message, message } from '../blocks.ts';
import { pausedPart } from './job-card.ts';
import { listOf } from './job-headline.ts';

/** Direct message to whoever sent a list, once it paused: why, and the next step. Later it says that the pause is over. */
export function pauseNews(view: JobView): Message {
  const where = `<#${view.channel}>`;
  if (view.state !== 'paused')
    return message(`▶️ *No longer paused*: ${listOf(view)}. Its card in ${where} shows how far it is.`);
  const { text, blocks } = pausedPart(view);
  const from = `Sent from ${where}. Its card there has all figures.`;
  return { text: `${text}\n${from}`, blocks: [...blocks, context(from)] };
}
