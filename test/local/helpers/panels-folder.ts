import { join } from 'node:path';

/** Where the page's files of the panels are. */
export const PANELS = join(import.meta.dirname, '../../../local/page');
