import { countryOf } from '../../core/accounts/links.ts';
import type { JobResult } from '../../core/jobs/job-results.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import { createCsv, inOrder } from '../../core/lists/csv-format.ts';
import { type OwnColumns, readAgain } from '../../core/lists/read-again.ts';
import { numberInCell } from '../../core/texts/phone-format.ts';
import { outcomeColumns, outcomeReason, outcomeWord, RECIPIENT_COLUMNS } from '../ui/lists/words-in-files.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { clockOf } from './clock-of.ts';

/** How many rows to write before other work gets its turn. */
const ROWS_AT_ONCE = 500;

/**
 * All recipients of a job with their outcomes, as CSV in UTF-8: after the list's own columns if we have them, otherwise
 * after the row and the number. The header names the reader's time zone.
 */
export async function resultsCsv(
  results: readonly JobResult[],
  timeZone: string,
  list?: OwnColumns,
): Promise<Uint8Array> {
  const clock = clockOf(timeZone);
  const columns = outcomeColumns(clock.resolvedOptions().timeZone);
  const csv = createCsv([...(list?.header ?? RECIPIENT_COLUMNS), ...Object.values(columns)]);
  for (let from = 0; from < results.length; from += ROWS_AT_ONCE) {
    const some = results.slice(from, from + ROWS_AT_ONCE);
    csv.add(some.map((result) => [...recipient(result, list), ...inOrder(columns, outcome(result, clock))]));
    await new Promise(setImmediate);
  }
  return csv.bytes();
}

/**
 * The own columns of a job's list, if it came as a file that Slack still has. We keep no copy. `later`: Slack does
 * not hand the file out at the moment.
 */
export async function ownColumns(
  { files, rights, log }: Pick<SlackDeps, 'files' | 'rights' | 'log'>,
  { id, channel, details }: JobView,
  results: readonly JobResult[],
): Promise<OwnColumns | 'later' | undefined> {
  const { given } = details;
  const { file, phoneColumn } = given;
  const list = file && (await files.download(file));
  if (list?.kind !== 'file') return list?.mayPass ? 'later' : undefined;
  // A draft of an older version does not know its country.
  const country = countryOf(given) ?? (await rights.countryIn(channel));
  const recipients = new Map(results.map(({ row = 0, e164 }) => [row, e164]));
  try {
    return await readAgain(list.bytes, recipients, { country, phoneColumn });
  } catch (error) {
    // Only the error's name: its message may quote cells of the list.
    const reason = error instanceof Error ? error.name : 'unknown';
    log.warn({ send: id, reason }, 'a list could not be read again: its results lack its columns');
    return undefined;
  }
}

function recipient({ row = 0, e164 }: JobResult, list: OwnColumns | undefined) {
  const number = numberInCell(e164);
  return list ? list.cellsOf(row, number) : [row || '', number];
}

function outcome(result: JobResult, clock: Intl.DateTimeFormat) {
  const { messageId = '', credits = '', at } = result;
  const time = at === undefined ? '' : clock.format(at);
  return { outcome: outcomeWord(result), messageId, credits, time, reason: outcomeReason(result) };
}
