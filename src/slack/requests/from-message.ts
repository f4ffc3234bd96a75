import { z } from 'zod';

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
