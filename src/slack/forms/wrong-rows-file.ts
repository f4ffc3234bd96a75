import { handOverFile } from '../files/upload-file.ts';
import { wrongRowsComment } from '../ui/lists/file-words.ts';
import { WRONG_ROWS_FILE, type WrongFile } from '../ui/lists/wrong-rows.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { ListFields } from './read-list-fields.ts';

/** Puts the rows that can't be used into the person's direct messages, as a file; undefined if there are none. */
export async function handOverWrongRows(
  deps: SlackDeps,
  user: string,
  {
    given,
    bytes,
    command,
  }: { given: ListFields['source']; bytes: Uint8Array | undefined; command: 'bulk' | 'optouts' },
): Promise<WrongFile | undefined> {
  const comment = wrongRowsComment(given.kind === 'file' ? given.file.name : undefined, command);
  return bytes && handOverFile(deps, user, { name: WRONG_ROWS_FILE, bytes, comment });
}
