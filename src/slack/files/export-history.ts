import type { Person } from '../../core/accounts/permissions.ts';
import type { HistoryAsked } from '../../core/history/history-query.ts';
import type { Message } from '../ui/blocks.ts';
import {
  exportComment,
  exportDone,
  exportFailed,
  exportProgress,
  exportStopped,
} from '../ui/reports/history-export.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

const TELL_EVERY_MS = 3000;

/** Sends the history as files by direct message; one more message counts the rows. Asks `mayStill` before each file. */
export async function exportHistory(
  deps: SlackDeps,
  person: Person,
  asked: HistoryAsked,
  mayStill: () => Promise<boolean>,
): Promise<void> {
  // Loaded only once somebody exports.
  const { historyFiles } = await import('./history-csv.ts');
  const { channel, ts } = await deps.replies.direct(person.id, exportProgress(0));
  let rows = 0;
  let files = 0;
  let toldAt = performance.now();
  let telling: Promise<unknown> = Promise.resolve();
  const change = (message: Message) => deps.web.chat.update({ channel, ts, ...message });
  function tell(message: Message): void {
    // If this fails, the next change shows the newer count.
    telling = telling
      .then(() => change(message))
      .catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the progress message of an export could not be changed');
      });
  }
  /** Says how it ended: in a new message if the old one can't be changed. */
  async function end(message: Message): Promise<void> {
    await telling;
    await change(message).catch((error: unknown) => {
      deps.log.warn(
        { err: error },
        'the progress message could not be changed; a new message says how the export ended',
      );
      return deps.replies.direct(person.id, message);
    });
  }
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
        if (performance.now() - toldAt < TELL_EVERY_MS) return;
        toldAt = performance.now();
        tell(exportProgress(rows));
      },
    });
    for await (const part of parts) {
      if (!(await mayStill())) {
        deps.log.info({ files }, 'an export ended: its reader has lost the right');
        return end(exportStopped(files));
      }
      await deps.files.toPerson(person.id, { ...part, comment: exportComment(part) });
      files += 1;
    }
  } catch (error) {
    deps.log.error({ err: error, rows }, 'an export of the history broke off');
    return end(exportFailed(rows));
  }
  await end(exportDone({ rows, files }));
}
