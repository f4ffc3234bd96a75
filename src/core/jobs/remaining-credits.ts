import type { SendRecord, Tally } from '../../ledger/model/types.ts';
import { JobDetails } from './job-details.ts';

/** What the rest of a job will take by its estimate, in credits. */
export function remainingCredits({ details }: Pick<SendRecord, 'details'>, { states }: Tally): number {
  const { credits } = JobDetails.parse(details).estimate;
  // What was split is counted with its parts.
  const { split: _parts, ...counted } = states;
  const total = Object.values(counted).reduce((sum, { messages }) => sum + messages, 0);
  const left = states.pending.messages + states.sending.messages;
  return total === 0 ? 0 : Math.ceil((credits * left) / total);
}
