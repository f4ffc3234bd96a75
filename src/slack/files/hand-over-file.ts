import type { SlackDeps } from '../workspaces/deps.ts';
import type { OutgoingFile } from './upload-file.ts';

/** Puts a file into the person's direct messages; a failure is in the log, and said where the file is spoken of. */
export async function handOverFile(
  { files, log }: Pick<SlackDeps, 'files' | 'log'>,
  user: string,
  file: OutgoingFile,
): Promise<'delivered' | 'failed'> {
  try {
    await files.toPerson(user, file);
    return 'delivered';
  } catch (error) {
    log.warn({ err: error, file: file.name }, 'a file could not be delivered to a person');
    return 'failed';
  }
}
