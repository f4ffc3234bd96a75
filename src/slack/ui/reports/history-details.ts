import type { ModalView } from '@slack/types';
import type { HistoryDetails } from '../../../core/history/history-details.ts';
import { outcomeOfMessage } from '../../../core/history/history-outcomes.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { type Fact, figures, SECTION_MAX, section, typedBelow } from '../blocks.ts';
import { VIEWS } from '../ids.ts';
import { approvalLine } from '../limits/approval-words.ts';
import { undoneHeadline } from '../limits/undo.ts';
import { figuresOf } from '../lists/job-figures.ts';
import { jobHeadline } from '../lists/job-headline.ts';
import { modal } from '../modal.ts';
import { chargeOf, otherStatusOf, reference, saidBy, senderOf, unknownHeadline } from '../outcome-words.ts';
import { cut, escaped } from '../safe-text.ts';
import { whyUnknown } from '../texts/unknown-receipt.ts';
import { TITLES } from '../views.ts';
import { inLines, mention, present, when } from '../words.ts';
import { countWords, OUTCOME_WORDS } from './history-words.ts';

/** All that we keep of a send, for people who may see its channel's history. */
export function detailsView(details: HistoryDetails): ModalView {
  const { chain, view } = details;
  const resends = chain.map(({ id, at, by, counts }) => {
    const here = id === view.id ? ' · this one' : '';
    return `${when(at)} · ${mention(by)} · ${countWords(counts)} · \`${id}\`${here}`;
  });
  const blocks = details.kind === 'single' ? singleBlocks(details) : jobBlocks(details);
  return modal(VIEWS.notice, { title: TITLES.historyDetails }, [
    ...blocks,
    resends.length > 0 && cut(['*Resends*', ...resends].join('\n'), SECTION_MAX),
    reference(view),
  ]);
}

/** For a send that is gone, or of another channel. mrkdwn. */
export const NO_DETAILS = 'Nothing is kept of this text any more.';

function singleBlocks({ view, number, isWhole }: HistoryDetails & { kind: 'single' }) {
  const { result } = view;
  // Other outcomes have a time, too, but no answer came then.
  const isAnswered = view.outcome === 'sent' || view.outcome === 'rejected';
  const facts: Fact[] = [
    ['To', escaped(number ?? 'forgotten')],
    ['By', senderOf(view)],
    ['When', view.decidedAt === undefined ? 'not known' : when(view.decidedAt)],
    ['Approval', approvalLine(view.approval)],
    ['Outcome', outcomeOf(view)],
    ['Undone by', view.undoneBy && mention(view.undoneBy)],
    ['Receipt', view.outcome === 'sent' && chargeOf(view)],
    ['Answered', isAnswered && view.settledAt !== undefined && when(view.settledAt)],
    ['Message id', result?.messageId?.toString()],
  ];
  // The service's own words may quote the number.
  const own = isWhole ? result?.message : undefined;
  const isOpen = view.outcome === 'unknown' && view.saidSentBy === undefined;
  return present(
    isOpen && section(whyUnknown(view)),
    ...figures(facts).blocks,
    ...typedBelow('The service’s own words:', own),
    ...typedBelow('Text:', view.text),
  );
}

function outcomeOf(view: SendView): string {
  const { outcome, barredFor, saidSentBy, leftBy } = view;
  if (outcome === 'unknown') {
    if (saidSentBy !== undefined) return `sent ${saidBy(saidSentBy)}`;
    return leftBy === undefined
      ? unknownHeadline(view)
      : `${unknownHeadline(view)}, left by ${mention(leftBy)}`;
  }
  const status = otherStatusOf(view);
  if (status !== undefined) return `status ${status}`;
  return outcome === 'split'
    ? OUTCOME_WORDS.under_way
    : OUTCOME_WORDS[outcomeOfMessage({ state: outcome, barredFor })];
}

function jobBlocks({ view }: HistoryDetails & { kind: 'job' }) {
  const { decidedAt, endedAt, details } = view;
  const by = `By ${senderOf(view)}${decidedAt === undefined ? '' : `, ${when(decidedAt)}`}`;
  const said = inLines(
    by,
    approvalLine(view.approval),
    endedAt !== undefined && `Ended ${when(endedAt)}`,
    `Every recipient’s outcome is in *Export CSV*${endedAt !== undefined ? `, and in the direct messages of ${mention(details.by)}` : ''}.`,
  );
  const text = typedBelow('Text:', details.given.template);
  if (view.undoneBy !== undefined)
    return [section(cut(undoneHeadline(view), SECTION_MAX)), section(by), ...text];
  return [
    section(cut(jobHeadline(view), SECTION_MAX)),
    ...(view.state === 'paused' ? [section(`Its card in <#${view.channel}> has the buttons.`)] : []),
    ...figures(figuresOf(view)).blocks,
    section(said),
    ...text,
  ];
}
