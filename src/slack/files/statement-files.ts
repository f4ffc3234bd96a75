import type { Statement } from '../../core/accounts/statement.ts';
import { inOrder, toCsv } from '../../core/lists/csv-format.ts';
import { figureLines } from '../ui/reports/charts.ts';
import * as words from '../ui/reports/statement.ts';
import { statementFigures } from '../ui/reports/statement-charts.ts';
import { cut } from '../ui/safe-text.ts';
import { isoDay, isoTime } from '../ui/utc-days.ts';
import { present } from '../ui/words.ts';
import type { OutgoingFile } from './upload-file.ts';

/** A statement as CSV in UTF-8. Opening, plus all rows between, is exactly closing. Times are in UTC. */
export function statementCsv(statement: Statement): Uint8Array {
  const { days, since, opening, closing, shares, others, differences, unexplained } = statement;
  const unclear = differences
    .filter(({ kind }) => kind === 'unclear')
    .reduce((sum, { credits }) => sum + credits, 0);
  const row = (line: string, credits: number, more: Partial<Cells> = {}) =>
    inOrder(words.STATEMENT_COLUMNS, { ...EMPTY, ...more, line, credits });
  const hasOthers = others.messages > 0 || others.credits > 0;
  const rows = present(
    row(words.STATEMENT_LINES.opening, opening, {
      to: since === undefined ? `${isoDay(days.from)} 00:00:00` : isoTime(since),
    }),
    ...shares.map(({ channel, by, credits, messages }) =>
      row(words.STATEMENT_LINES.messages, -credits, { channel, person: by, messages }),
    ),
    hasOthers && row(words.STATEMENT_LINES.others, -others.credits, { messages: others.messages }),
    ...differences.map(({ kind, from, to, credits }) =>
      row(words.DIFFERENCE_NAMES[kind], credits, { from: isoTime(from), to: isoTime(to) }),
    ),
    unexplained !== unclear && row(words.STATEMENT_LINES.unexplained, unexplained - unclear),
    row(words.STATEMENT_LINES.closing, closing),
  );
  return toCsv(Object.values(words.STATEMENT_COLUMNS), rows);
}

type Cells = Record<keyof typeof words.STATEMENT_COLUMNS, string | number>;
const EMPTY = { channel: '', person: '', messages: '', from: '', to: '' };

/** The longest description that Slack takes, in characters: docs.slack.dev/reference/methods/files.getUploadURLExternal. */
const DESCRIPTION_MAX = 1000;

/** A picture of a statement's balance over time. Its description has the figures. */
export async function balancePicture(
  statement: Pick<Statement, 'opening' | 'daily'>,
  { threshold, comment }: { threshold: number; comment: string },
): Promise<OutgoingFile> {
  const { balance } = statementFigures(statement, threshold);
  // Loaded only once somebody wants a picture.
  const { linePicture, renderPng } = await import('../pictures/balance-picture.ts');
  return {
    name: words.PICTURE_FILE,
    bytes: renderPng(linePicture(balance)),
    comment,
    description: cut(figureLines(balance).join('\n'), DESCRIPTION_MAX),
  };
}
