import type { ApprovalWord } from '../../ledger/model/approval-types.ts';
import type { LeftOut } from '../../ledger/model/chunk-record.ts';
import type { DecisionResult } from '../../ledger/model/decision-types.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { Linked } from '../accounts/links.ts';
import { onceFor } from '../slack-repeats.ts';
import type { ChunkResult } from './chunk-result.ts';
import type { Sent } from './decision-answers.ts';
import { BALANCE_FOR_DRAFT_MS, shortBalance } from './draft-balance.ts';
import { whyDoubtful } from './own-draft.ts';
import type { DecisionDeps, DraftKind, Undecided } from './undecided.ts';

/** What a confirmation says besides the person. */
export interface Confirmation {
  /** Names the request that asks for it. */
  request?: string | undefined;
  /** **Send anyway**: the earlier send of the same words that the person has read of. */
  allowed?: string | undefined;
  /** **Send anyway**: the failover after which the draft may be sent already, as the person has read. */
  evenIfSent?: string | undefined;
  /** Of a list: whether to send the texts that repeat other sends, too. */
  include?: boolean | undefined;
  /** Called before a look at the balance, which may take long. */
  onWait?: (() => Promise<void>) | undefined;
}

/** Who decides to send, and how. */
interface SendWord extends Confirmation {
  by: string;
  /** How to reach the person from now on, if that changes. */
  reply?: Json;
  approval?: ApprovalWord;
}

const REPEATED: ChunkResult = { cause: 'repeated' };
/** Why a list's repeats are not sent. */
const REPEATS_LEFT_OUT: LeftOut = { result: REPEATED, barredFor: 'repeated' };

/**
 * Decides to send a draft. Checks that the key works, that the draft comes from no old copy of the data, and that the
 * credits suffice. Then the ledger decides, once, even if others ask at the same time. The caller has checked all else.
 */
export async function decideToSend<View extends Undecided>(
  deps: DecisionDeps,
  kind: DraftKind<View>,
  { draft, linked: { link, instance } }: { draft: View; linked: Linked },
  word: SendWord,
): Promise<Sent<View>> {
  const { ledger, credit, budgets, clock } = deps;
  const { by, reply, request, allowed, evenIfSent, include, approval } = word;
  const { estimate } = draft.details;
  const tooLong = kind.tooLong?.(draft, link);
  if (tooLong) return tooLong;
  const unusable = await credit.keyUnusable(instance);
  if (unusable) return unusable;
  const doubtful = await whyDoubtful(deps, kind, draft, { instance, onWait: word.onWait });
  if (doubtful) return doubtful;
  const [known, budget] = await Promise.all([
    credit.known(instance),
    budgets.asked(link, { by: draft.details.by, isApproved: approval !== undefined }, estimate),
  ]);
  // Only a fresh figure may refuse here; without one, the service's own answer decides.
  const fresh = known && ledger.now() - known.at <= BALANCE_FOR_DRAFT_MS ? known.credits : undefined;
  const short = shortBalance(estimate, await credit.askIfShort(instance, fresh, estimate.credits));
  if (short) return short;
  const details = { ...kind.whenSent(draft), ...(reply === undefined ? {} : { reply }) };
  const words = kind.wordsOf?.(draft);
  const confirmedAt = clock.wall();
  const decided = await ledger.decide(draft.id, {
    to: 'running',
    by,
    details,
    budget,
    announces: kind.announces(draft),
    startsInMs: kind.undoMs(link),
    repeats: include ? 'include' : REPEATS_LEFT_OUT,
    ...(words && { words: { ...words, ...(allowed !== undefined && { allowed }) } }),
    ...(evenIfSent && { evenIfSent }),
    ...(approval && { approval }),
    ...(kind.ifUndone && { ifUndone: kind.ifUndone(draft) }),
    ...(request === undefined ? {} : { once: onceFor(request) }),
  });
  if (!decided.won) return refusalOf(decided, () => kind.mustView(draft.id));
  await deps.onRunning(decided.send, confirmedAt);
  const { startsAt } = decided.send;
  return {
    kind: 'running',
    view: { ...draft, state: 'running', ...(startsAt !== undefined && { startsAt }) },
  };
}

/** Why a decision did not count: another one came first, or a rule refuses. */
async function refusalOf<View>(
  decided: DecisionResult & { won: false },
  viewNow: () => Promise<View>,
): Promise<Sent<View>> {
  const { why } = decided;
  switch (why) {
    case 'missing':
    case 'repeated':
    case 'own_request':
      return { kind: why };
    case 'decided':
    case 'expired':
      return { kind: 'too_late', view: await viewNow() };
    case 'may_be_sent':
      return { kind: why, view: await viewNow() };
    case 'same_words':
      return { kind: why, same: decided.same, view: await viewNow() };
    case 'over_budget':
      return { kind: why, over: decided.over, view: await viewNow() };
    default:
      return { kind: 'resend_refused', why };
  }
}
