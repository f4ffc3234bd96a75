import type { JobView } from '../../../core/jobs/job-view.ts';
import { quoted } from '../safe-text.ts';
import { plural } from '../words.ts';

/** The words beside the files of a list. */

/** Words beside the file with all wrong rows. */
export function wrongRowsComment(source: string | undefined, command: 'bulk' | 'optouts' = 'bulk'): string {
  return `Skipped rows${source === undefined ? '' : ` of ${quoted(source)}`}, and why. Fix the file, then upload it with \`/sms ${command}\`.`;
}

/** Words beside the file with the rejected recipients. */
export function rejectedComment(view: JobView): string {
  return `Rejected recipients, and why, of your list to ${plural(view.counts.total, 'recipient')} from <#${view.channel}>.`;
}

/** Words beside the results. */
export function resultsComment(view: JobView, updated: boolean): string {
  const opening = updated ? 'Answers came late: the newer results' : 'The results';
  return `${opening} of your list to ${plural(view.counts.total, 'recipient')} from <#${view.channel}>. Reference \`${view.id}\``;
}
