import type { JobView } from '../../../core/jobs/job-view.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { refuseIf } from '../../answers/apology.ts';
import { notYours, staleDraft } from '../../ui/draft-refusals.ts';
import { TOO_LATE_TO_UNDO, undoneMessage } from '../../ui/limits/undo.ts';
import { jobMovedOn } from '../../ui/lists/job-sentences.ts';
import { tooLateMessage } from '../../ui/texts/outcome-lines.ts';
import type { ClickHandler } from '../click.ts';

/** **Undo** of a text, by the person who pressed Send. The outbox says that it was undone, as it would post a receipt. */
export const undoSend: ClickHandler = async ({ core, log }, { person, value, answer }) => {
  const undone = await core.sends.undo(value, person);
  if ('view' in undone) log.info({ send: undone.view.id, result: undone.kind }, 'Undo was pressed');
  switch (undone.kind) {
    case 'undone':
      return;
    case 'too_late':
      return answer(wentOut(undone.view) ? TOO_LATE_TO_UNDO : tooLateMessage(undone.view));
    case 'missing':
      return answer(staleDraft());
    case 'not_yours':
      return answer(notYours(undone.owner, 'undo'));
  }
};

/** **Undo** of a list. Who pressed Send may do that from anywhere: its card may be in their direct messages. */
export const undoJob: ClickHandler = async (deps, { person, value, answer }) => {
  const job = await deps.core.jobs.view(value);
  const isOther = job && job.decidedBy !== person.id;
  refuseIf(isOther && (await deps.rights.membershipRefusal(person, job.channel)));
  const undone = await deps.core.jobs.undo(value, person);
  if ('view' in undone) deps.log.info({ send: undone.view.id, result: undone.kind }, 'Undo was pressed');
  switch (undone.kind) {
    case 'undone': {
      const { view } = undone;
      const message = undoneMessage(view);
      // The message in the place of the preview still says that the list is confirmed.
      const replaced = await deps.replies.inPlace(view.details.reply, message);
      // The card says so, too, within three seconds.
      return replaced === 'done' && view.details.by === person.id ? undefined : answer(message);
    }
    case 'too_late':
      return answer(isHeld(undone.view) ? jobMovedOn(undone.view) : TOO_LATE_TO_UNDO);
    default:
      return answer(await deps.rights.refusalMessage(person, undone, job));
  }
};

/** Whether the text went out, or may have. After an opt-out, for example, the answer must not say that it did. */
function wentOut({ outcome }: SendView): boolean {
  return outcome !== 'cancelled' && outcome !== 'not_sent' && outcome !== 'rejected';
}

function isHeld({ state }: JobView): boolean {
  return state === 'stopped' || state === 'paused';
}
