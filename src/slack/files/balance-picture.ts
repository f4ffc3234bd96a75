import type { Statement } from '../../core/accounts/statement.ts';
import { figureLines } from '../ui/reports/charts.ts';
import { PICTURE_FILE } from '../ui/reports/statement.ts';
import { statementFigures } from '../ui/reports/statement-charts.ts';
import { cut } from '../ui/safe-text.ts';
import type { OutgoingFile } from './upload-file.ts';

/** In characters: enough for the figures of twenty categories. */
const DESCRIPTION_MAX = 2000;

/** A picture of a statement's balance over time. Its description has the figures. */
export async function balancePicture(
  statement: Pick<Statement, 'opening' | 'daily'>,
  { threshold, comment }: { threshold: number; comment: string },
): Promise<OutgoingFile> {
  const { balance } = statementFigures(statement, threshold);
  // Loaded only once somebody wants a picture.
  const { linePicture, renderPng } = await import('../pictures/line-picture.ts');
  return {
    name: PICTURE_FILE,
    bytes: renderPng(linePicture(balance)),
    comment,
    description: cut(figureLines(balance).join('\n'), DESCRIPTION_MAX),
  };
}
