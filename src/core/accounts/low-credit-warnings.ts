import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import { DAY_MS } from '../../ledger/model/days.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { Records } from '../../records/records.ts';
import { instanceKey, type Link } from '../../records/schema.ts';
import { createShortMemory } from '../short-cache.ts';
import { lowCreditState } from '../state-names.ts';
import { TOPICS } from '../topics.ts';
import { Runway } from './runway.ts';
import type { Statements } from './statements.ts';
import { type ChannelNews, readersInstead } from './who-to-tell.ts';

/** A low-credit card. After an alert, its last card says why it ended (`over`), earlier ones only that (`past`). */
export const LowCreditCard = z.object({
  team: z.string(),
  channel: z.string(),
  level: z.enum(['low', 'zero', 'over', 'past']),
  credits: z.number(),
  threshold: z.number(),
  /** If an alert is over: credits were added. Otherwise the threshold was lowered, or another account pays. */
  toppedUp: z.boolean(),
  instanceName: z.string(),
  /** Spent by this channel in the last days. */
  spentCredits: z.number(),
  spentMessages: z.number(),
  /** How long the credits last at this pace, if that is known. */
  runway: Runway.optional(),
  topUpUrl: z.string().optional(),
});
export type LowCreditCard = z.infer<typeof LowCreditCard>;

/** How many days (UTC, with today) the figures of a warning's card cover. */
export const SPENT_DAYS = 7;

/** How long the check is skipped while receipts show enough credits, in ms. */
const ENOUGH_FOR_MS = 60_000;

const AlertDetails = z.object({
  count: z.number(),
  cards: z.array(z.string()),
  credits: z.number(),
  /** Who paid at the alert's last card. Missing in alerts of earlier versions. */
  accountId: z.string().optional(),
  /** The top-up link on its last card. */
  topUpUrl: z.string().optional(),
});

export type Warnings = ReturnType<typeof createWarnings>;

/** Low-credit warnings: one for each alert of a channel, a stronger one at zero. Ends them when there are credits again. */
export function createWarnings(deps: {
  ledger: Ledger;
  records: Pick<Records, 'accountInstances' | 'instances' | 'links'>;
  statements: Pick<Statements, 'runway'>;
  /** User ids that get a direct message if the bot can't post in the channel. */
  admins: readonly string[];
}) {
  const { ledger } = deps;
  const { accountInstances, instances, links } = deps.records;

  /** Accounts that had no warning at their last check, with the highest threshold of their links. */
  const quietAbove = createShortMemory<number>(ENOUGH_FOR_MS, ledger.now);

  /** Warns a channel, or ends its warning. True if it has no warning after this. */
  async function checkLink(link: Link, accountId: string, refused: boolean): Promise<boolean> {
    const { team, channel, threshold, topUpUrl } = link;
    const name = lowCreditState(link);
    const { account, state: alert } = await ledger.accountWithState(accountId, name);
    if (!account) return false;
    const { credits } = account;
    const from = alert?.state ?? 'armed';
    const before = alert ? AlertDetails.parse(alert.details) : { count: 0, cards: [], credits };
    const level = levelOf(link, { credits, refused, wasZero: from === 'zero' });
    const to = level ?? 'armed';
    // If only the top-up link has changed, the card is posted again. It keeps its credits.
    if (to === from && (!level || before.topUpUrl === topUpUrl)) return !level;
    const creditsShown = to === from ? before.credits : credits;
    const instance = await instances.get(instanceKey({ team, id: link.instanceId }));
    // The index of an account's instances may name one that another account pays for by now.
    if (instance?.accountId !== accountId) return true;

    const count = from === 'armed' ? before.count + 1 : before.count;
    const spent = await ledger.spentSince(team, channel, ledger.now() - (SPENT_DAYS - 1) * DAY_MS);
    const runway = level && (await deps.statements.runway(instance, credits));
    const cardOf = (id: string, cardLevel: LowCreditCard['level']): Announcement => ({
      id,
      topic: TOPICS.lowCredit,
      subject: `${team}/${channel}`,
      details: {
        team,
        channel,
        level: cardLevel,
        credits: creditsShown,
        threshold,
        toppedUp: creditsShown > before.credits && (before.accountId ?? accountId) === accountId,
        instanceName: instance.name,
        spentCredits: spent.credits,
        spentMessages: spent.messages,
        ...defined({ runway, topUpUrl }),
        instead: readersInstead(link, deps.admins),
      } satisfies LowCreditCard & ChannelNews as Json,
    });
    const newCard = `${TOPICS.lowCredit}:${team}/${channel}:${link.linkedAt}:${count}:${to}`;
    const cards = level ? [...new Set([...before.cards, newCard])] : [];
    const announcements = level
      ? [cardOf(newCard, level)]
      : before.cards.map((id) => cardOf(id, id === before.cards.at(-1) ? 'over' : 'past'));
    const bound = level ? { below: threshold } : { from: threshold };
    const moved = await ledger.changeState(name, {
      from: alert?.state,
      to,
      details: { count, cards, credits: creditsShown, accountId, ...defined({ topUpUrl }) },
      isOver: !level,
      // A frozen process may have an old figure. A refusal counts, whatever the balance is.
      ...(threshold > 0 && !refused && { credits: { account: accountId, ...bound } }),
      announcements,
    });
    return moved && !level;
  }

  return {
    /**
     * Checks every link that spends from the account. `refused`: a send was refused for lack of credits. `credits`: the
     * balance by a receipt. The check is skipped if one of the last minute found no warning, and `credits` is not below any
     * threshold.
     */
    async check(
      accountId: string,
      { refused = false, credits }: { refused?: boolean; credits?: number } = {},
    ): Promise<void> {
      const known = quietAbove.get(accountId);
      const isEnough = known !== undefined && credits !== undefined && credits >= known;
      if (isEnough && !refused) return;
      quietAbove.delete(accountId);
      const begun = ledger.now();
      let hasNoWarning = true;
      let threshold = 0;
      for (const { team, id } of await accountInstances.list(accountId)) {
        for (const link of await links.list(team)) {
          if (link.instanceId !== id) continue;
          threshold = Math.max(threshold, link.threshold);
          hasNoWarning = (await checkLink(link, accountId, refused)) && hasNoWarning;
        }
      }
      if (hasNoWarning) quietAbove.set(accountId, threshold, begun);
    },
  };
}

/** The level of the link's warning; undefined if it needs none. Zero is announced once, even if a few credits come and go. */
function levelOf(
  { threshold }: Link,
  now: { credits: number; refused: boolean; wasZero: boolean },
): 'low' | 'zero' | undefined {
  if (threshold <= 0) return undefined;
  const isLow = now.credits < threshold;
  if (now.credits <= 0 || now.refused || (now.wasZero && isLow)) return 'zero';
  return isLow ? 'low' : undefined;
}
