import { z } from 'zod';
import { endingOf } from '../files/download-file.ts';
import { LIST_ENDINGS } from '../ui/lists/bulk-form.ts';
import { MESSAGE_FILES, wrongEnding } from '../ui/lists/list-problems.ts';
import { oneLine } from '../ui/safe-text.ts';

/** What the bot reads of a message that somebody uses a shortcut on; all else in it is left out. */
const FromMessage = z.object({
  /** Its words, in Slack's own formatting. */
  text: z.string().catch(''),
  files: z
    .array(
      z.object({
        id: z.string(),
        /** Absent if Slack gives the file's id only, in Slack Connect. */
        name: z.string().optional(),
        mode: z.string().optional(),
      }),
    )
    .catch([]),
});
export type FromMessage = z.infer<typeof FromMessage>;

/** Reads a message: docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload. Never throws. */
export function readMessageOf(message: unknown): FromMessage {
  return FromMessage.catch({ text: '', files: [] }).parse(message);
}

/** Files that Slack names without having them: docs.slack.dev/reference/objects/file-object. */
const GONE = ['tombstone', 'hidden_by_limit'];

/** The one list among a message's files, for the list form to use; else a notice that says why there is none. */
export function listIn(
  files: FromMessage['files'],
): { file: { id: string; name: string } } | { notice: string } {
  const there = files.filter(({ mode = '' }) => !GONE.includes(mode));
  const [file, ...others] = there.filter(
    ({ name }) => name === undefined || LIST_ENDINGS.includes(endingOf(name)),
  );
  if (file && others.length > 0) return { notice: MESSAGE_FILES.several };
  if (file) return { file: { id: file.id, name: oneLine(file.name ?? MESSAGE_FILES.unnamed) } };
  const [first, ...rest] = there;
  if (first?.name === undefined) return { notice: MESSAGE_FILES.none };
  return { notice: rest.length > 0 ? MESSAGE_FILES.noList : wrongEnding(first.name, endingOf(first.name)) };
}
