import type { Ledger } from '../../ledger/ledger.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Links } from '../accounts/links.ts';
import type { IsCurrent } from '../accounts/old-copy.ts';
import type { Person } from '../accounts/permissions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Clock } from '../clock.ts';
import { segmentsOf } from '../lists/list.ts';
import { createRequests, type Requests } from '../sends/approval-requests.ts';
import { type Confirmation, createDecideToSend } from '../sends/decide-to-send.ts';
import type { Withdrawn } from '../sends/decision-answers.ts';
import { createDecisions } from '../sends/decisions.ts';
import type { PriceBook } from '../sends/prices.ts';
import type { JobConfirmed } from './job-answers.ts';
import { cardOf } from './job-news.ts';
import { withRepeats } from './job-preview.ts';
import type { JobReads } from './job-reads.ts';
import { tooLong } from './job-rights.ts';
import type { JobView } from './job-view.ts';

/** What people decide about drafts of jobs. */
export interface JobDecisions {
  /** Decides to send a draft, once. Only the person who drafted it may. */
  confirm(id: string, person: Person, reply: Json, how?: Confirmation): Promise<JobConfirmed>;
  /** Withdraws a draft: nothing was sent and nothing will be. */
  withdraw(id: string, person: Person, to: 'cancelled' | 'superseded'): Promise<Withdrawn<JobView>>;
  /** Drafts of jobs that a second person decides. */
  requests: Requests<JobView>;
}

export function createJobDecisions(deps: {
  ledger: Ledger;
  links: Links;
  credit: Credit;
  budgets: Pick<Budgets, 'asked'>;
  prices: PriceBook;
  isCurrent: IsCurrent;
  clock: Clock;
  reads: Pick<JobReads, 'view' | 'mustView'>;
  /** How long a job waits after Send if its channel has no time of its own, in ms. */
  listUndoMs: number;
  /** Called when somebody decided to send a draft. */
  onRunning(send: SendRecord): Promise<void>;
}): JobDecisions {
  const { ledger, links, credit } = deps;
  const { view, mustView } = deps.reads;

  const send = createDecideToSend({
    ledger,
    credit,
    budgets: deps.budgets,
    isCurrent: deps.isCurrent,
    clock: deps.clock,
    mustView,
    tooLong: ({ details: { list } }, link) => tooLong(link, list.toSend),
    // Nobody edits it any more: its chunks have the recipients.
    whenSent: ({
      details: {
        given: { recipients: _pasted, ...given },
        estimate,
        list,
        repeats,
      },
    }) => ({ given, estimate, list, ...(repeats && { repeats: decidedRepeats(repeats) }) }),
    // But for the form of a list that is undone.
    ifUndone: ({ details: { given } }) => ({ given }),
    announces: ({ id }) => cardOf(id),
    undoMs(link) {
      const { listUndoSeconds } = limitsOf(link);
      return listUndoSeconds === undefined ? deps.listUndoMs : listUndoSeconds * 1000;
    },
    onRunning: deps.onRunning,
  });
  const decisions = createDecisions({ ledger, links, mustView, send });

  const requests = createRequests({
    ledger,
    links,
    credit,
    view,
    mustView,
    decisions,
    send,
    prices: deps.prices,
    isUnlinking: ({ link }) => link.leaving !== undefined,
    segmentsOf: ({ details }) => segmentsOf(details.list),
    including(list) {
      const draft = withRepeats(list, true);
      const { estimate, list: whole, repeats } = draft.details;
      return { draft, details: { estimate, list: whole, ...(repeats && { repeats }) } };
    },
  });

  return {
    requests,
    async confirm(id, person, reply, how) {
      const draft = await view(id);
      const linked = draft?.team === person.team ? await links.find(draft.team, draft.channel) : undefined;
      if (linked?.link.leaving) return { kind: 'unlinking' };
      const confirmed = await decisions.confirm(
        draft && withRepeats(draft, how?.include ?? false),
        person,
        reply,
        how,
      );
      // The preview of a list asks about all repeats at once.
      if (confirmed.kind === 'same_words') throw new Error('a list is not asked about one of its texts');
      return confirmed;
    },
    withdraw: async (id, person, to) => decisions.withdraw(await view(id), person, to),
  };
}

/** The details without `whole`: once a list is decided, nobody includes its repeats or leaves them out. */
function decidedRepeats({ whole: _choice, ...repeats }: NonNullable<JobView['details']['repeats']>) {
  return repeats;
}
