import type { Ledger } from '../../ledger/ledger.ts';
import type { Undecidable } from '../../ledger/model/chunk-record.ts';
import { rowAbout } from '../../ledger/outbox/announce.ts';
import type { Person } from '../accounts/permissions.ts';
import { mayDecideWithoutLink } from '../accounts/permissions.ts';
import type { TakenBack } from '../taken-back.ts';
import { TOPICS } from '../topics.ts';
import type { NotAllowed } from './decision-answers.ts';
import { createDecisions } from './decisions.ts';
import { type DraftDeps, draftText, keptOf } from './draft-text.ts';
import { mayBeSentAlready, sendableLink } from './own-draft.ts';
import { type SendView, sendView } from './send-view.ts';
import type { DecisionDeps } from './undecided.ts';
import { type Undone, undoMsOfTexts, undoSend } from './undo.ts';

export type { SameWords } from '../../ledger/model/repeat-types.ts';

/** The result of a decision on an unknown text; `view`: the send after that. */
type UnknownDecision =
  | { kind: 'decided'; view: SendView }
  | { kind: 'too_late'; why: Undecidable }
  | { kind: 'missing' }
  | NotAllowed;

export type Sends = ReturnType<typeof createSends>;

/** Single sends, from preview to receipt. */
export function createSends(deps: DraftDeps & DecisionDeps & { takenBack: TakenBack }) {
  const { ledger, links, optOuts, wordsOf, takenBack } = deps;

  /** The single send as it is now; undefined if there is none with this id. */
  async function view(id: string): Promise<SendView | undefined> {
    const found = await ledger.findWithFirstChunk(id);
    return found?.send.kind === 'single' ? sendView(found, ledger.now()) : undefined;
  }

  async function mustView(id: string): Promise<SendView> {
    const found = await view(id);
    if (!found) throw new Error(`the send ${id} is gone from the ledger`);
    return found;
  }

  const { confirm, withdraw, supersede, requests } = createDecisions(deps, {
    view,
    mustView,
    isOptedOut: async ({ team, e164 }) => (await optOuts.find(team, e164.slice(1)))?.isOut === true,
    // A text is sent in a moment, so it does not delay the unlinking.
    isUnlinking: () => false,
    segmentsOf: (draft) => [draft.segments.segments],
    wordsOf: ({ team, e164, text }) => wordsOf(team, { phone: e164.slice(1), text }),
    // From now on the chunk has the words.
    whenSent: () => ({ text: undefined }),
    undoMs: undoMsOfTexts,
    // "Sending…" and the receipt are one row: the two never overtake each other.
    announces: ({ id, team }) => rowAbout(id, TOPICS.receipt, { team }),
  });

  async function decideUnknown(
    id: string,
    person: Person,
    decide: Ledger['saySent'],
  ): Promise<UnknownDecision> {
    const before = await view(id);
    if (before?.team !== person.team) return { kind: 'missing' };
    const allowed = await sendableLink(links, before.channel, person);
    const mayAnyway = allowed.kind === 'not_linked' && mayDecideWithoutLink(person, before.details.by);
    if (allowed.kind !== 'linked' && !mayAnyway) return allowed;
    const decided = await decide({ send: id, indexes: [0] }, person.id);
    return decided.won
      ? { kind: 'decided', view: await mustView(id) }
      : { kind: 'too_late', why: decided.why };
  }

  return {
    view,
    draft: draftText.bind(null, deps),
    confirm,
    withdraw,
    supersede,
    requests,

    /** Undoes a send that nobody has taken yet, for the person who pressed Send. */
    async undo(id: string, person: Person): Promise<Undone<SendView> | { kind: 'not_yours'; owner: string }> {
      const before = await view(id);
      if (before?.team !== person.team) return { kind: 'missing' };
      const { text, details, decidedBy = details.by, startsAt, decidedAt } = before;
      if (decidedBy !== person.id) return { kind: 'not_yours', owner: decidedBy };
      if (before.outcome === 'pending' && (await mayBeSentAlready(deps, before, startsAt ?? decidedAt))) {
        // Nothing more goes out, but "undone" would say that nothing did.
        await ledger.stop(id);
        return { kind: 'too_late', view: await mustView(id) };
      }
      // An undo deletes the chunk and its words. The details keep the words for half an hour, to fill the form.
      const how = { by: person.id, details: { text }, keeps: keptOf(details) };
      return undoSend({ ledger, takenBack, mustView }, id, how);
    },

    /**
     * Notes that a person says an unknown text arrived, once. Anybody who may send from the channel may say so. Without a
     * link, the sender and admins may.
     */
    saySent: (id: string, person: Person) => decideUnknown(id, person, ledger.saySent),
    /** Leaves an unknown text as it is, so no list asks about it any more. The same people may. */
    leaveUnknown: (id: string, person: Person) => decideUnknown(id, person, ledger.leaveUnknown),
  };
}
