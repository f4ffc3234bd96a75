import { type Message, message } from '../blocks.ts';
import { count, plural } from '../words.ts';

/** The columns of the file with a history, in order. Times are in this zone. */
export function historyColumns(timeZone: string) {
  return {
    decided: `decided (${timeZone})`,
    channel: 'channel',
    by: 'by',
    phone: 'phone',
    outcome: 'outcome',
    messageId: 'message id',
    credits: 'credits',
    answered: `answered (${timeZone})`,
    reason: 'reason',
    row: 'row in list',
    reference: 'reference',
    approver: 'approved by',
    asked: `approval asked (${timeZone})`,
  };
}

export const EXPORT_BEGUN = message('You get the file as a direct message. You can go on meanwhile.');

export const EXPORT_UNDER_WAY = message('Your last export is still under way: see your direct messages.');

export function exportProgress(rows: number): Message {
  return message(
    `📄 *Exporting the history* · ${plural(rows, 'row')} so far\n` +
      'If Switchboard restarts meanwhile, the export stops. Then press *Export CSV* again.',
  );
}

export function exportDone({ rows, files }: { rows: number; files: number }): Message {
  return message(
    rows === 0
      ? '📄 *Nothing to export*: no text matches.'
      : `📄 *The history is exported*: ${plural(rows, 'row')} in ${plural(files, 'file')}.`,
  );
}

export function exportFailed(rows: number): Message {
  return message(
    `⛔ *The export broke off* after ${plural(rows, 'row')}. Nothing else was changed.\nPress *Export CSV* again to start over.`,
  );
}

export function exportStopped(files: number): Message {
  const had = files === 0 ? 'No file was made.' : `You got ${plural(files, 'file')} before that.`;
  return message(`⛔ *The export stopped*: you may no longer see this history. ${had}`);
}

export function exportComment(file: { part: number; rows: number; isLast: boolean }): string {
  const { part, rows, isLast } = file;
  if (part === 1 && isLast) return `The history, ${plural(rows, 'row')}.`;
  return `The history, part ${count(part)}: ${plural(rows, 'row')}${isLast ? ', the last part' : ''}.`;
}
