import { z } from 'zod';
import { DriftNotice } from '../../core/accounts/drift.ts';
import { KeyNotice } from '../../core/accounts/key-health.ts';
import { LinkChange } from '../../core/accounts/link-change.ts';
import { RefusalNotice } from '../../core/accounts/list-refusals.ts';
import { LowCreditCard } from '../../core/accounts/low-credit-warnings.ts';
import { mayAdminister, type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import { ChannelNews } from '../../core/accounts/who-to-tell.ts';
import { BudgetNotice, levelOf } from '../../core/budgets/budgets.ts';
import type { Core, OutboxRow } from '../../core/core.ts';
import type { Deliver, Delivery } from '../../core/post-or-retry.ts';
import { LostRecord } from '../../core/sends/lost-record.ts';
import { TOPICS, type Topic } from '../../core/topics.ts';
import type { Message } from '../ui/blocks.ts';
import { budgetNotice } from '../ui/limits/budget-words.ts';
import * as notices from '../ui/reports/notices.ts';
import { linkChangeMessage } from '../ui/setup/link-news.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { deliverApproval } from './deliver-approval.ts';
import { deliverJob, deliverPause } from './deliver-job.ts';
import { deliverLine, deliverReceipt } from './deliver-receipt.ts';
import {
  afterError,
  announceToReaders,
  deliverInPlace,
  toChannel,
  toPerson,
  WithReaders,
} from './posting.ts';

type DeliverTopic = (deps: SlackDeps, row: OutboxRow) => Promise<Delivery>;

const BY_TOPIC: { [topic in Topic]: DeliverTopic } = {
  [TOPICS.receipt]: deliverReceipt,
  [TOPICS.line]: deliverLine,
  [TOPICS.job]: deliverJob,
  [TOPICS.pause]: deliverPause,
  [TOPICS.approval]: deliverApproval,
  [TOPICS.keyHealth]: news(KeyNotice, (deps, row, notice) =>
    'channel' in notice.to
      ? toChannelOrReaders(deps, row, notice.to.channel, notices.keyNoticeMessage(notice))
      : toAdmin(deps, row, notice.to.user, notices.keyNoticeMessage(notice)),
  ),
  [TOPICS.refusals]: news(RefusalNotice, (deps, row, notice) =>
    toAdmin(deps, row, notice.user, notices.refusalNoticeMessage(notice)),
  ),
  [TOPICS.lowCredit]: news(LowCreditCard, (deps, row, card) =>
    toChannelOrReaders(deps, row, card.channel, notices.lowCreditMessage(card)),
  ),
  [TOPICS.drift]: news(DriftNotice, (deps, row, notice) =>
    toAdmin(deps, row, notice.user, notices.driftMessage(notice)),
  ),
  [TOPICS.linkChanged]: news(LinkChange, (deps, row, change) =>
    toChannel(deps, row, { channel: change.channel, message: linkChangeMessage(change) }),
  ),
  [TOPICS.lostRecord]: news(LostRecord, async (deps, row, lost) => {
    const message = notices.lostRecordMessage(row.subject, lost);
    const inPlace =
      lost.reply === undefined ? undefined : await deliverInPlace(deps, row, lost.reply, message);
    return inPlace ?? toPerson(deps, row, lost.by, { message });
  }),
  [TOPICS.budget]: news(BudgetNotice, async (deps, row, old) => {
    const notice = await budgetNow(deps, old);
    if (!notice)
      return {
        kind: 'dropped',
        why: 'nobody is held back any more: the budget has room, was renewed or changed, or the channel is not linked',
      };
    const { to, channelId, person } = notice;
    if (to === channelId)
      return toChannelOrReaders(deps, row, channelId, budgetNotice(notice, { isForAdmin: false }));
    if (to !== person) return toAdmin(deps, row, to, budgetNotice(notice, { isForAdmin: true }));
    // An admin can reach their own daily limit, too.
    const reader = await deps.access.present(to);
    const isForAdmin = reader !== undefined && mayAdminister(reader);
    return toPerson(deps, row, to, { message: budgetNotice(notice, { isForAdmin }) });
  }),
};

/** The news with the figures of now; undefined if this budget holds nobody back any more. */
async function budgetNow({ core }: SlackDeps, old: BudgetNotice): Promise<BudgetNotice | undefined> {
  const { channelId, person, level, limit, renewsAt } = old;
  const linked = await core.links.find(channelId);
  if (!linked) return undefined;
  const { month, day } = await core.links.budgets(linked.link, person ?? linked.link.linkedBy);
  const now = person === undefined ? month : day;
  // A list counts in the month and the day of its Send, also after their end.
  const isSame = now.limit === limit && now.renewsAt === renewsAt;
  const { used, held } = now;
  return isSame && levelOf(used + held, limit) >= level ? { ...old, used, held } : undefined;
}

/** The details of a row that is not about a send. */
const OfWorkspace = z.object({ team: z.string() });

/** Posts an outbox row as the bot of the workspace that it belongs to. */
export function createDeliver(core: Pick<Core, 'teamOf'>, workspaces: Workspaces): Deliver {
  return async (row) => {
    const team = OfWorkspace.safeParse(row.details).data?.team ?? (await core.teamOf(row.subject));
    if (team === undefined) return { kind: 'dropped', why: 'the send is gone' };
    let own: SlackDeps | undefined;
    try {
      own = await workspaces.of(team);
    } catch (error) {
      workspaces.outside.log.warn({ err: error, team }, 'there is no token to post a message with');
      return { kind: 'refused' };
    }
    return own ? deliver(own, row) : { kind: 'dropped', why: 'the bot is not installed there any more' };
  };
}

/** Posts an outbox row. Makes its words now, from the store, so that a late message is still true. */
export async function deliver(deps: SlackDeps, row: OutboxRow): Promise<Delivery> {
  const post = Object.hasOwn(BY_TOPIC, row.topic) ? BY_TOPIC[row.topic as Topic] : undefined;
  // While bots restart one after another, a newer version may have announced it: it waits for a bot of that version.
  if (!post) return { kind: 'refused', why: `no words for ${row.topic}` };
  try {
    return await post(deps, row);
  } catch (error) {
    return afterError(error);
  }
}

/** Delivers a row whose details are all that it tells. */
function news<Details>(
  schema: z.ZodType<Details>,
  post: (deps: SlackDeps, row: OutboxRow, details: Details) => Promise<Delivery>,
): DeliverTopic {
  return async (deps, row) => post(deps, row, schema.parse(row.details));
}

/** Posts to a channel. If that can't be done, people get the news instead; whoever got the first news gets its end. */
async function toChannelOrReaders(
  deps: SlackDeps,
  row: OutboxRow,
  channel: string,
  message: Message,
): Promise<Delivery> {
  const { core } = deps;
  const { instead, reader } = ChannelNews.parse(row.details);
  if (reader !== undefined) {
    const linked = await core.links.find(channel);
    const mayRead = (person: Person) =>
      linked ? sendRefusal(person, linked.link) === undefined : mayAdminister(person);
    return toReader(deps, row, { user: reader, mayRead }, notices.insteadOf(channel, message));
  }
  const details = row.details as object;
  const told = WithReaders.safeParse(row.posted).data;
  if (told) return announceToReaders(core, row, { ...told, details });
  return toChannel(deps, row, { channel, message, details }, async () => instead);
}

function toAdmin(deps: SlackDeps, row: OutboxRow, user: string, message: Message): Promise<Delivery> {
  return toReader(deps, row, { user, mayRead: mayAdminister }, message);
}

/** Posts to a person who may read it now. An earlier admin, or the person who linked a channel, may have lost that right. */
async function toReader(
  deps: SlackDeps,
  row: OutboxRow,
  { user, mayRead }: { user: string; mayRead(person: Person): boolean },
  message: Message,
): Promise<Delivery> {
  const person = await deps.access.present(user);
  if (person && mayRead(person)) return toPerson(deps, row, user, { message });
  return { kind: 'dropped', why: 'they may not read it any more' };
}
