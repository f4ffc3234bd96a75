import type { z } from 'zod';
import { DriftNotice } from '../../core/accounts/drift.ts';
import { KeyNotice } from '../../core/accounts/key-health.ts';
import { LinkChange } from '../../core/accounts/link-change.ts';
import { RefusalNotice } from '../../core/accounts/list-refusals.ts';
import { LowCreditCard } from '../../core/accounts/low-credit-warnings.ts';
import { mayAdminister, type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import { ChannelNews } from '../../core/accounts/who-to-tell.ts';
import { BudgetNotice } from '../../core/budgets/budgets.ts';
import type { OutboxRow } from '../../core/core.ts';
import { Waiting } from '../../core/dispatch/wait-news.ts';
import { pauseToTell } from '../../core/jobs/job-view.ts';
import type { Deliver, Delivery } from '../../core/post-or-retry.ts';
import { TOPICS, type Topic } from '../../core/topics.ts';
import type { Message } from '../ui/blocks.ts';
import { expiredDraft } from '../ui/expired-draft.ts';
import { budgetNotice } from '../ui/limits/budget-words.ts';
import { isBeforeStart, undoableText } from '../ui/limits/undo.ts';
import { pauseNews } from '../ui/lists/job-card.ts';
import {
  driftMessage,
  insteadOf,
  keyNoticeMessage,
  lowCreditMessage,
  refusalNoticeMessage,
} from '../ui/reports/notices.ts';
import { linkedMessage, unlinkedChannelMessage } from '../ui/setup/link-news.ts';
import { lineMessage } from '../ui/texts/outcome-lines.ts';
import { receiptMessage, sendingMessage, waitingMessage } from '../ui/texts/receipt.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { createDeliverApproval } from './deliver-approval.ts';
import { createDeliverJob } from './deliver-job.ts';
import {
  afterError,
  announceToReaders,
  deliverInPlace,
  EXPIRED_UNREACHED,
  Posted,
  toChannel,
  toPerson,
  WithReaders,
} from './posting.ts';

/** Posts an outbox row. Its words are made now, from the store, so that a late message is still true. */
export function createDeliver(deps: SlackDeps): Deliver {
  const { core, access } = deps;

  /** News for a person who may read it now: whoever was an admin, or linked a channel, may have lost that right. */
  async function toReader(
    row: OutboxRow,
    user: string,
    message: Message,
    mayRead: (person: Person) => boolean,
  ): Promise<Delivery> {
    const person = await access.present(user);
    if (person && mayRead(person)) return toPerson(deps, row, user, { message });
    return { kind: 'dropped', why: 'they may not read it any more' };
  }

  const toAdmin = (row: OutboxRow, user: string, message: Message) =>
    toReader(row, user, message, mayAdminister);

  async function receipt(row: OutboxRow): Promise<Delivery> {
    const view = await core.sends.view(row.subject);
    if (!view) return { kind: 'dropped', why: 'the send is gone' };
    const { reply } = view.details;
    if (view.state === 'expired')
      return (await deliverInPlace(deps, row, reply, expiredDraft(view))) ?? EXPIRED_UNREACHED;
    const waiting = view.outcome === 'pending' ? Waiting.safeParse(row.details).data : undefined;
    const now = core.now();
    const message =
      view.state !== 'running'
        ? receiptMessage(view)
        : isBeforeStart(view, now)
          ? undoableText(view, now)
          : waiting
            ? waitingMessage(view, { ...waiting, now })
            : sendingMessage(view);
    const isNew = row.posted === undefined || row.posted === null;
    const delivered = isNew && (await deliverInPlace(deps, row, reply, message));
    // If replacing the message keeps failing, post a new one: two receipts are better than none for half an hour.
    return delivered || toPerson(deps, row, view.details.by, { message });
  }

  async function line(row: OutboxRow): Promise<Delivery> {
    const view = await core.sends.view(row.subject);
    const message = view && lineMessage(view, { posted: Posted.safeParse(row.posted).success });
    if (!view || !message) return { kind: 'dropped', why: 'nothing was sent' };
    return toChannel(deps, row, { channel: view.channel, message });
  }

  /** Sends the list's sender a new message for each pause. Later that message says that the list went on. */
  async function pause(row: OutboxRow): Promise<Delivery> {
    const view = await core.jobs.view(row.subject);
    const paused = view && pauseToTell(view);
    if (!view || (!row.posted && paused === undefined))
      return { kind: 'dropped', why: 'the list is not paused' };
    return toPerson(deps, row, view.details.by, { message: pauseNews(view), pause: paused });
  }

  /** Posts to a channel, or to people where that can't be done. Whoever got the first news also gets its end. */
  async function channelNews(row: OutboxRow, channel: string, message: Message): Promise<Delivery> {
    const { instead, reader } = ChannelNews.parse(row.details);
    if (reader !== undefined) {
      const linked = await core.links.find(channel);
      const mayRead = (person: Person) =>
        linked ? sendRefusal(person, linked.link) === undefined : mayAdminister(person);
      return toReader(row, reader, insteadOf(channel, message), mayRead);
    }
    const details = row.details as object;
    const told = WithReaders.safeParse(row.posted).data;
    if (told) return announceToReaders(core, row, { ...told, details });
    return toChannel(deps, row, { channel, message, details }, async () => instead);
  }

  const byTopic: { [topic in Topic]: Deliver } = {
    [TOPICS.receipt]: receipt,
    [TOPICS.line]: line,
    [TOPICS.job]: createDeliverJob(deps),
    [TOPICS.pause]: pause,
    [TOPICS.approval]: createDeliverApproval(deps),
    [TOPICS.keyHealth]: telling(KeyNotice, (row, notice) =>
      'channel' in notice.to
        ? channelNews(row, notice.to.channel, keyNoticeMessage(notice))
        : toAdmin(row, notice.to.user, keyNoticeMessage(notice)),
    ),
    [TOPICS.refusals]: telling(RefusalNotice, (row, notice) =>
      toAdmin(row, notice.user, refusalNoticeMessage(notice)),
    ),
    [TOPICS.lowCredit]: telling(LowCreditCard, (row, card) =>
      channelNews(row, card.channel, lowCreditMessage(card)),
    ),
    [TOPICS.drift]: telling(DriftNotice, (row, notice) => toAdmin(row, notice.user, driftMessage(notice))),
    [TOPICS.linkChanged]: telling(LinkChange, (row, change) => {
      const message = change.linked ? linkedMessage(change) : unlinkedChannelMessage(change);
      return toChannel(deps, row, { channel: change.channel, message });
    }),
    [TOPICS.budget]: telling(BudgetNotice, (row, notice) => {
      const { to, channelId, person } = notice;
      const message = budgetNotice(notice);
      if (to === channelId) return channelNews(row, channelId, message);
      return to === person ? toPerson(deps, row, to, { message }) : toAdmin(row, to, message);
    }),
  };

  return async (row) => {
    const deliver = Object.hasOwn(byTopic, row.topic) ? byTopic[row.topic as Topic] : undefined;
    if (!deliver) return { kind: 'dropped', why: `no words for ${row.topic}` };
    try {
      return await deliver(row);
    } catch (error) {
      return afterError(error);
    }
  };
}

/** Delivers a row whose details are all that it tells. */
function telling<Details>(
  schema: z.ZodType<Details>,
  deliver: (row: OutboxRow, details: Details) => Promise<Delivery>,
): Deliver {
  return async (row) => deliver(row, schema.parse(row.details));
}
