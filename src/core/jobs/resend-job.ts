import type { LedgerMessage, Undecidable } from '../../ledger/model/chunk-record.ts';
import type { Json } from '../../ledger/model/json.ts';
import { isErased } from '../../ledger/model/read-chunks.ts';
import { isDecidable, whyUndecidable } from '../../ledger/model/unknown-chunks.ts';
import type { Person } from '../accounts/permissions.ts';
import { inChunks } from '../lists/in-chunks.ts';
import type { ListSummary } from '../lists/list.ts';
import { createListTally } from '../lists/list-tally.ts';
import { resendableAt } from '../sends/may-arrive.ts';
import { readNumber } from '../texts/phone.ts';
import type { JobDraftDeps } from './job-drafts.ts';
import type { JobPreview } from './job-preview.ts';
import { channelForDraft, type JobRefusal } from './job-rights.ts';
import { wasListRefused } from './read-job.ts';
import { draftWithPreview } from './write-draft.ts';

/** The result of asking for the preview of a resend. `at`: ms since 1970. */
type ResendDrafted =
  | { kind: 'draft'; preview: JobPreview }
  | { kind: 'missing' }
  | { kind: Undecidable | 'none_unknown' }
  | { kind: 'not_yours'; owner: string }
  | { kind: 'too_early'; at: number }
  | JobRefusal;

/** Drafts a job to all unknown recipients. Its preview says that it may text them twice. */
export async function draftResend(
  deps: JobDraftDeps,
  id: string,
  person: Person,
  reply: Json,
): Promise<ResendDrafted> {
  const { ledger, optOuts } = deps;
  const { chunkSize, minRecipients } = deps.bulk;
  const first = await deps.reads.view(id);
  if (!first || first.team !== person.team) return { kind: 'missing' };
  if (first.details.by !== person.id) return { kind: 'not_yours', owner: first.details.by };
  const unknown = await ledger.chunks(id, { state: 'unknown' });
  const open = unknown.filter(isDecidable);
  if (open.length === 0) return { kind: whyUndecidable(unknown) ?? 'none_unknown' };
  const at = resendableAt(open);
  if (at > ledger.now()) return { kind: 'too_early', at };
  const found = await channelForDraft(deps, first.channel, person);
  if (found.kind !== 'linked') return found;
  const { kept: messages, optedOut } = await optOuts.leaveOut(
    person.team,
    open.flatMap((chunk) => chunk.messages).filter((message) => !isErased(message)),
  );
  if (messages.length === 0 && optedOut.length === 0) return { kind: 'none_unknown' };
  if (messages.length === 0) return { kind: 'all_opted_out', messages: optedOut.length };
  return draftWithPreview(deps, found.linked, {
    person,
    reply,
    summary: summarise(messages),
    given: { template: '' },
    chunks: inChunks(messages, chunkSize).map((chunk) => [chunk]),
    optedOut,
    oneByOne: messages.length < minRecipients || open.some(wasListRefused),
    resends: { send: id, indexes: open.map(({ index }) => index) },
  });
}

/** What a preview says of messages that were checked before and will be sent again, at least one. */
function summarise(messages: LedgerMessage[]): ListSummary {
  const tally = createListTally();
  for (const message of messages) {
    const number = readNumber(`+${message.phone}`);
    tally.add(message, number.kind === 'number' ? { ...number, isUnlikely: !!number.noKnownRange } : {});
  }
  const figures = tally.result();
  if (!figures) throw new Error('there is nothing to send again');
  return {
    rows: messages.length,
    toSend: messages.length,
    wrong: { wrong_number: 0, duplicate: 0, empty_placeholder: 0, too_long: 0 },
    ...figures,
    wrongRows: [],
  };
}
