import { join } from 'node:path';

/** The folder with the panels' files for the page. */
export const PANELS = join(import.meta.dirname, '../../../local/page');
