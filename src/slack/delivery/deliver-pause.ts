import { z } from 'zod';
import { pauseToTell } from '../../core/jobs/job-view.ts';
import type { Deliver } from '../../core/post-or-retry.ts';
import { pauseNews } from '../ui/lists/job-card.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { Posted, postCard } from './post-card.ts';

/** The message about the last pause, and which pause that was. */
const Told = Posted.extend({ pause: z.string().optional() });

/**
 * Tells whoever sent a list that it paused, by a direct message for each pause: an edit would notify nobody. Once the
 * list goes on or ends, the message says so.
 */
export function createDeliverPause({ core, replies, web }: SlackDeps): Deliver {
  return async (row) => {
    const view = await core.jobs.view(row.subject);
    const before = Told.safeParse(row.posted).data;
    const pause = view && pauseToTell(view);
    if (!view || (!before && pause === undefined)) return { kind: 'dropped', why: 'the list is not paused' };
    const message = pauseNews(view);
    const isTold = before && (pause === undefined || pause === before.pause);
    const at = isTold
      ? await postCard(web, before, before.channel, message)
      : await replies.direct(view.details.by, message);
    return { kind: 'posted', posted: Told.parse({ channel: at.channel, ts: at.ts, pause }) };
  };
}
