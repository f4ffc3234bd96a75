import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { Person } from '../accounts/permissions.ts';
import type { Confirmation } from '../sends/decide-to-send.ts';
import type { Confirmed } from '../sends/decision-answers.ts';
import { createDecisions } from '../sends/decisions.ts';
import type { DecisionDeps } from '../sends/undecided.ts';
import { undoMsOfLists } from '../sends/undo.ts';
import { cardOf } from './job-news.ts';
import { segmentsOfJob, withRepeats } from './job-preview.ts';
import type { JobReads } from './job-reads.ts';
import { tooLong } from './job-rights.ts';
import type { JobView } from './job-view.ts';

/** Decides drafts of jobs, each once. */
export function createJobDecisions(
  deps: DecisionDeps & {
    reads: Pick<JobReads, 'view' | 'mustView'>;
    /** How long a job waits after Send if its channel has no time of its own, in ms. */
    listUndoMs: number;
  },
) {
  const { view, mustView } = deps.reads;
  const decisions = createDecisions(deps, {
    view,
    mustView,
    isCut({ counts, details: { list, repeats } }) {
      const others = repeats && !repeats.included ? repeats.messages : 0;
      return counts.left < list.toSend + others;
    },
    tooLong: ({ details: { list } }, link) => tooLong(link, list.toSend),
    isUnlinking: ({ leaving }) => leaving !== undefined,
    segmentsOf: segmentsOfJob,
    including(list) {
      const draft = withRepeats(list);
      const { estimate, list: whole, repeats } = draft.details;
      return { draft, details: { estimate, list: whole, ...defined({ repeats }) } };
    },
    whenSent({ details: { given, estimate, list: shown, repeats } }) {
      // Nobody edits it any more: its chunks have the recipients.
      const { recipients: _pasted, ...others } = given;
      // A skipped row may hold a number that is in no chunk, so `erase` would miss it.
      const list = { ...shown, wrongRows: [] };
      if (!repeats) return { given: others, estimate, list };
      // Nobody includes its repeats or leaves them out any more.
      const { whole: _choice, ...decided } = repeats;
      return { given: others, estimate, list, repeats: decided };
    },
    // An undo puts the form's contents back.
    ifUndone: ({ details: { given } }) => ({ given }),
    undoMs: (link) => undoMsOfLists(link, deps.listUndoMs),
    announces: ({ id }) => cardOf(id),
  });

  return {
    ...decisions,
    /** Decides to send a draft. Only the person who drafted it may. */
    async confirm(
      id: string,
      person: Person,
      reply: Json,
      how?: Confirmation,
    ): Promise<Exclude<Confirmed<JobView>, { kind: 'same_words' }>> {
      const confirmed = await decisions.confirm(id, person, reply, how);
      // The preview of a list asks about all repeats at once.
      if (confirmed.kind === 'same_words') throw new Error('the ledger asked about one text of a list');
      if (confirmed.kind !== 'too_late') return confirmed;
      // If the pressed preview had the repeats, its figures did, too.
      return how?.include ? { ...confirmed, view: withRepeats(confirmed.view) } : confirmed;
    },
  };
}
