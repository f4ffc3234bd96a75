import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import { request } from 'undici';
import { MOST_BYTES } from '../../core/lists/list-limits.ts';
import { slackErrorOf, slackWaitOf, UNSURE } from '../connection/slack-error.ts';
import { LIST_ENDINGS } from '../ui/lists/bulk-form.ts';
import { FILE_SENTENCES, wrongEnding } from '../ui/lists/list-problems.ts';

/** A file that a person has put into a form, now or before. */
export interface GivenFile {
  id: string;
  name: string;
  /** Absent if we have only the file's id: in Slack Connect, and for a file that a form uses again. */
  url?: string;
}

/** The file's bytes; or why there are none, as plain text for the form's field. `mayPass`: Slack may have it a little later. */
type Downloaded =
  | { kind: 'file'; name: string; bytes: Uint8Array }
  | { kind: 'problem'; sentence: string; mayPass: boolean };

function problem(sentence: string, mayPass = false): Downloaded {
  return { kind: 'problem', sentence, mayPass };
}

const DEADLINE_MS = 20_000;
/** Where Slack and GovSlack keep files: docs.slack.dev/reference/objects/file-object. */
const FILE_ORIGINS = ['https://files.slack.com', 'https://files.slack-gov.com'];

/** Fetches files, and never rejects. The bot's token goes only to Slack's file hosts or the Web API's, and follows no redirect. */
export function createDownload(deps: {
  web: WebClient;
  botToken: string;
  apiUrl: string;
  log: Logger;
}): (file: GivenFile) => Promise<Downloaded> {
  const { web, log } = deps;
  const origins = [...FILE_ORIGINS, new URL(deps.apiUrl).origin];

  return async (file) => {
    try {
      const found = await find(web, file);
      if (!found) return problem(FILE_SENTENCES.gone);
      const ending = endingOf(found.name);
      if (!LIST_ENDINGS.includes(ending)) return problem(wrongEnding(found.name, ending));
      const origin = URL.canParse(found.url) ? new URL(found.url).origin : '';
      if (!origins.includes(origin)) {
        log.error({ origin }, 'a file is on a host that is not Slack’s: the token was not sent');
        return problem(FILE_SENTENCES.refused);
      }
      return await read(deps, found);
    } catch (error) {
      const word = slackErrorOf(error);
      const reason = word ?? (error instanceof Error ? error.name : 'unknown');
      log.warn({ reason }, 'a file could not be fetched');
      if (slackWaitOf(error) !== undefined) return problem(FILE_SENTENCES.busy, true);
      if (word === undefined) return problem(FILE_SENTENCES.noAnswer, true);
      if (word === 'file_not_found' || word === 'file_deleted') return problem(FILE_SENTENCES.gone);
      return problem(FILE_SENTENCES.refused, UNSURE.has(word));
    }
  };
}

async function find(web: WebClient, file: GivenFile): Promise<{ name: string; url: string } | undefined> {
  if (file.url !== undefined) return { name: file.name, url: file.url };
  const { file: found } = await web.files.info({ file: file.id });
  const url = found?.url_private_download;
  return url ? { name: found.name ?? file.name, url } : undefined;
}

async function read(
  { botToken, log }: { botToken: string; log: Logger },
  { name, url }: { name: string; url: string },
): Promise<Downloaded> {
  const { statusCode, headers, body } = await request(url, {
    headers: { authorization: `Bearer ${botToken}` },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const type = String(headers['content-type'] ?? '');
  // If the bot may not read a file, Slack redirects to its sign-in page, or answers with that page.
  if (statusCode !== 200 || /^text\/html\b/i.test(type)) {
    await body.dump();
    log.warn({ status: statusCode, type }, 'Slack did not hand out a file: is the scope files:read granted?');
    return statusCode === 429
      ? problem(FILE_SENTENCES.busy, true)
      : problem(FILE_SENTENCES.refused, statusCode >= 500);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MOST_BYTES) return problem(FILE_SENTENCES.tooLarge);
    parts.push(part);
  }
  return { kind: 'file', name, bytes: Buffer.concat(parts) };
}

/** The ending of a file's name, in small letters and without its dot; empty if there is none. */
export function endingOf(name: string): string {
  return /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
