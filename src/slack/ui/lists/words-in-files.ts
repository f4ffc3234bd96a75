import { outcomeOfMessage } from '../../../core/history/history-outcomes.ts';
import type { JobResult } from '../../../core/jobs/job-results.ts';
import type { JobView } from '../../../core/jobs/job-view.ts';
import type { RowWords } from '../../../core/lists/row-words.ts';
import { likelyOf } from '../outcome-words.ts';
import { OUTCOME_WORDS } from '../reports/history-words.ts';
import { oneLine, quoted } from '../safe-text.ts';
import { clientRefusal } from '../texts/typed-problems.ts';
import { plural, present } from '../words.ts';

/** The words in files for people: plain text, for spreadsheets. The comments beside the files are mrkdwn. */

/** What to do about a row. A reason may end with one of these, after a colon. */
const FIXES = {
  inFull: 'write it with + and the country code',
  rows: 'write one a row',
  lines: 'write one a line',
  reason: 'delete the reason to send it',
  quotes: 'put quotation marks around a text with commas',
  linesInQuotes: 'put quotation marks around a text of several lines',
  asText: 'format the column as Text and export again',
} as const;

/** Why a row of a list gets no message: in the preview, and in wrong-rows.csv. */
export const ROW_WORDS: RowWords = {
  blank: 'no number',
  empty: '{cell} has no number',
  letters: '{cell} has letters in it',
  characters: '{cell} has characters that no phone number has',
  extension: '{cell} has an extension, which a text cannot reach',
  several_numbers: `{cell} is more than one number: ${FIXES.rows}`,
  no_country_code: '{cell} has no country code',
  unknown_country: '{cell} does not begin with a known country code',
  too_short: '{cell} is too short',
  too_long: '{cell} is too long',
  wrong_length: '{cell} has the wrong number of digits for its country',
  not_in_country: `{cell} is not a number of the default country ({country}): ${FIXES.inFull}`,
  ambiguous: `{cell} may be {readings}: ${FIXES.inFull}`,
  long_cell: '{cell} is too long',
  spreadsheet_error: '{cell} is an error of the spreadsheet',
  rounded: `{cell} was rounded, its last digits are lost: ${FIXES.asText}`,
  fraction: '{cell} is no phone number',
  lost_zero: `{cell} has no country code and may have lost a 0 in front: ${FIXES.inFull}`,
  numbers_in_line: `{numbers} numbers in one line: ${FIXES.lines}`,
  duplicate: 'the same number as in row {row}',
  known_duplicate: `a duplicate, as its reason says: ${FIXES.reason}`,
  no_message: 'its message is empty',
  empty_placeholder: '{names} is empty',
  empty_placeholders: '{names} are empty',
  torn: `more cells than the header has: ${FIXES.quotes}`,
  cut: `its text seems to go on behind a comma or semicolon: ${FIXES.quotes}`,
  broken: `its text seems to go on in another row: ${FIXES.linesInQuotes}`,
  long_message: '{characters} characters; the limit is {limit}',
};

/** Splits a reason into the problem and what to do; `fix` is undefined if the reason names none. */
export function splitReason(reason: string): { problem: string; fix?: string } {
  const fix = Object.values(FIXES).find((each) => reason.endsWith(`: ${each}`));
  return fix === undefined ? { problem: reason } : { problem: reason.slice(0, -fix.length - 2), fix };
}

/** The file with a job's outcomes: `summer-results.csv` for `summer.csv`, `results.csv` for a pasted list. */
export function resultsName({ details }: JobView): string {
  const stem = oneLine((details.given.file?.name ?? '').replace(/\.[^.]*$/, '').replace(/[`/\\]/g, '-'));
  return stem === '' ? 'results.csv' : `${stem}-results.csv`;
}

/** What that file begins with if we don't have the list's own columns any more. */
export const RECIPIENT_COLUMNS = ['row', 'phone'];

/** The columns of an outcome, in order. Times are in this zone. */
export function outcomeColumns(timeZone: string) {
  return {
    outcome: 'outcome',
    messageId: 'message id',
    credits: 'credits',
    time: `time (${timeZone})`,
    reason: 'reason',
  };
}

export const REJECTED_COLUMNS = ['phone', 'message', 'reason'];

/** A recipient's outcome; another status than “sent” is called a status. */
export function outcomeWord(result: JobResult): string {
  if (result.otherStatus !== undefined) return `status ${result.otherStatus}`;
  const outcome = outcomeOfMessage(result);
  return outcome === 'under_way' ? 'not finished' : OUTCOME_WORDS[outcome];
}

/** Why a recipient got no text, or may have got none. */
export function outcomeReason({ state, cause, code, words, verdict, saidSentBy }: JobResult): string {
  switch (state) {
    case 'rejected': {
      const refused = words ?? 'refused by the service';
      return cause === 'group_refused' ? `refused as a group: ${refused}` : refused;
    }
    case 'not_sent':
      return cause === 'validation' ? clientRefusal(code) : '';
    case 'unknown':
      if (saidSentBy !== undefined) return 'no clear answer; a person said that it arrived';
      return present('no clear answer', verdict && likelyOf({ evidence: { verdict } })?.outcome).join('; ');
    case 'pending':
    case 'sending':
    case 'sent':
    case 'cancelled':
      return '';
  }
}

export function wrongRowsComment(source: string | undefined, command: 'bulk' | 'optouts'): string {
  return `Skipped rows${source === undefined ? '' : ` of ${quoted(source)}`}, and why. Fix the file, then upload it with \`/sms ${command}\`.`;
}

export function rejectedComment(view: JobView): string {
  return `The rejected recipients of your list, and why. The list has ${plural(view.counts.total, 'recipient')} and is from <#${view.channel}>.`;
}

/** `columns`: whether the file has the list's own columns; undefined if the list was pasted. */
export function resultsComment(
  view: JobView,
  file: { updated: boolean; columns: boolean | undefined },
): string {
  const opening = file.updated ? 'Answers came late: the newer results' : 'The results';
  const missing =
    file.columns === false ? '\nYour file is gone or has changed, so its columns are missing.' : '';
  return `${opening} of your list to ${plural(view.counts.total, 'recipient')} from <#${view.channel}>. Reference \`${view.id}\`${missing}`;
}
