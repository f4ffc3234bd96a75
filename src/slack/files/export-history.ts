import type { HistoryAsked } from '../../core/history/history-query.ts';
import type { Message } from '../ui/blocks.ts';
import * as words from '../ui/reports/history-export.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

const TELL_EVERY_MS = 3000;

/** Sends the history as files by direct message; one more message counts the rows. Asks `mayStill` before each file. */
export async function exportHistory(
  deps: SlackDeps,
  asked: HistoryAsked,
  mayStill: () => Promise<boolean>,
): Promise<void> {
  // Loaded only once somebody exports.
  const { historyFiles } = await import('./history-file.ts');
  const { person } = asked;
  const { tell, end } = await postProgress(deps, person.id);
  let rows = 0;
  let files = 0;
  const names = new Map<string, string>();
  // Ask Slack once for each person, even if it has no name for them.
  async function nameOf(user: string): Promise<string> {
    const name = names.get(user) ?? (await deps.access.name(user)) ?? user;
    names.set(user, name);
    return name;
  }
  try {
    const parts = historyFiles(deps.core.history.lines(asked), {
      timeZone: await deps.access.timeZone(person.id),
      nameOf,
      onRows(more) {
        rows += more;
        tell(rows);
      },
    });
    for await (const part of parts) {
      if (!(await mayStill())) {
        deps.log.info({ files }, 'an export ended: its reader has lost the right');
        return end(words.exportStopped(files));
      }
      await deps.files.toPerson(person.id, { ...part, comment: words.exportComment(part) });
      files += 1;
    }
  } catch (error) {
    deps.log.error({ err: error, rows }, 'an export of the history broke off');
    return end(words.exportFailed(rows));
  }
  await end(words.exportDone({ rows, files }));
}

/** Posts the message that counts the rows, to the person's direct messages. */
async function postProgress({ replies, web, log }: SlackDeps, user: string) {
  const { channel, ts } = await replies.direct(user, words.exportProgress(0));
  let toldAt = performance.now();
  let telling: Promise<unknown> = Promise.resolve();
  const change = (message: Message) => web.chat.update({ channel, ts, ...message });
  return {
    /** Shows a new count, but not too often. If this fails, the next change shows a newer one. */
    tell(rows: number): void {
      if (performance.now() - toldAt < TELL_EVERY_MS) return;
      toldAt = performance.now();
      telling = telling
        .then(() => change(words.exportProgress(rows)))
        .catch((error: unknown) => {
          log.warn({ err: error }, 'the progress message of an export could not be changed');
        });
    },
    /** Says how the export ended: in a new message if the old one can't be changed. */
    async end(message: Message): Promise<void> {
      await telling;
      await change(message).catch((error: unknown) => {
        const problem = 'the progress message could not be changed; a new message says how the export ended';
        log.warn({ err: error }, problem);
        return replies.direct(user, message);
      });
    },
  };
}
