import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import { waitAfter429 } from '../connection/slack-error.ts';
import { wrongRowsComment } from '../ui/lists/words-in-files.ts';
import { WRONG_ROWS_FILE, type WrongFile } from '../ui/lists/wrong-rows.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

export interface OutgoingFile {
  name: string;
  bytes: Uint8Array;
  /** The words beside it, as mrkdwn: what people wrote must be escaped. */
  comment: string;
  /** What a picture shows, for people who don't see it. */
  description?: string;
}

/** A file was not uploaded, so nobody can see it. */
export class UploadError extends Error {
  override readonly name = 'UploadError';
  readonly code = 'upload_refused';
  /** How long to wait before the next try, in ms, if Slack asked to wait. */
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** How long the bytes of a file may take, in ms: enough for the largest. */
const BYTES_DEADLINE_MS = 15_000;

/** Makes the calls of docs.slack.dev/messaging/working-with-files. An upload takes no user's id, so open a channel first. */
export function createUpload(web: WebClient) {
  async function place({ name, bytes, description }: OutgoingFile): Promise<string> {
    const { upload_url: url, file_id: id } = await web.files.getUploadURLExternal({
      filename: name,
      length: bytes.byteLength,
      // Slack's own name for it; the types of its client have another one.
      ...(description !== undefined && { alt_txt: description }),
    });
    if (!url || !id) throw new UploadError('Slack named no place for a file');
    // Not by Slack's client: this address needs no token, so it gets none.
    const { statusCode, headers, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      signal: AbortSignal.timeout(BYTES_DEADLINE_MS),
    });
    await body.dump();
    if (statusCode === 200) return id;
    const waitMs = statusCode === 429 ? waitAfter429(headers['retry-after']) : undefined;
    throw new UploadError(`Slack did not take a file’s bytes (${statusCode})`, waitMs);
  }

  /**
   * Puts a file into a person's direct messages. Nobody can see the file before the last call. So we are only unsure whether
   * it arrived if that call's answer was lost. @throws UploadError, or the error of the Slack call that failed
   */
  return async (user: string, file: OutgoingFile): Promise<void> => {
    const { channel } = await web.conversations.open({ users: user });
    if (!channel?.id) throw new UploadError('Slack opened no direct message');
    const id = await place(file);
    await web.files.completeUploadExternal({
      files: [{ id, title: file.name }],
      channel_id: channel.id,
      initial_comment: file.comment,
    });
  };
}

/** Puts a file into the person's direct messages. Logs a failure; the message that mentions the file must say so, too. */
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

/** Hands over the wrong rows of a list; undefined if there are none. `list`: the name of its file, if it came as one. */
export async function handOverWrongRows(
  deps: Pick<SlackDeps, 'files' | 'log'>,
  user: string,
  bytes: Uint8Array | undefined,
  { list, command }: { list: string | undefined; command: 'bulk' | 'optouts' },
): Promise<WrongFile | undefined> {
  const comment = wrongRowsComment(list, command);
  return bytes && handOverFile(deps, user, { name: WRONG_ROWS_FILE, bytes, comment });
}
