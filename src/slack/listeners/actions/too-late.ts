import type { SendView } from '../../../core/sends/send-view.ts';
import { tooLateMessage } from '../../ui/texts/too-late.ts';
import type { Click } from './action.ts';

/** A draft that was decided or has expired says so. What was sent has its receipt in this very message: beside that. */
export function answerTooLate({ answer, replace }: Click, view: SendView): Promise<void> {
  const isRetired = ['draft', 'expired', 'cancelled', 'superseded', 'declined'].includes(view.state);
  return isRetired ? replace(tooLateMessage(view)) : answer(tooLateMessage(view));
}
