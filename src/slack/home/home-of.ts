import { limitsOf } from '../../core/accounts/channel-limits.ts';
import { keyTroubleOf } from '../../core/accounts/key-trouble.ts';
import { mayAdminister, type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import type { HistoryRow } from '../../core/history/history-rows.ts';
import type { UnknownFacts } from '../../core/homes/unknown-facts.ts';
import type { WorkspaceFacts } from '../../core/homes/workspace-facts.ts';
import { requestsOf } from '../people/approval-rights.ts';
import type { Channel } from '../people/conversations.ts';
import type { ChannelFacts, HomeFacts } from '../ui/reports/home.ts';
import type { AdminFacts } from '../ui/reports/home-admin.ts';

/** What a person's Home shows, of the channels that they are in. `unknown`: for admins, and nobody else. */
export function homeOf(
  person: Person,
  facts: WorkspaceFacts,
  own: {
    channels: readonly Channel[];
    lastSends: readonly HistoryRow[];
    unknown: UnknownFacts | undefined;
  },
): HomeFacts {
  const { channels, lastSends, unknown } = own;
  const isAdmin = mayAdminister(person);
  const mine = channelsFor(person, facts, channels);
  const shown = new Set(mine.map(({ channel }) => channel));
  return {
    isAdmin,
    isLinked: facts.links.length > 0,
    channels: mine,
    jobs: facts.jobs.filter((job) => isAdmin || job.details.by === person.id || shown.has(job.channel)),
    lastSends,
    requests: requestsOf(person, facts.requests),
    ...(unknown && { admin: adminFacts(facts, unknown) }),
  };
}

function channelsFor(person: Person, facts: WorkspaceFacts, channels: readonly Channel[]): ChannelFacts[] {
  const { links, instances, balances, budgets, runways, rules } = facts;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const nameOf = ({ channel }: { channel: string }) => names.get(channel) ?? '';
  return links
    .filter((link) => names.has(link.channel) && sendRefusal(person, link) === undefined)
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)))
    .map((link) => {
      const { channel, instanceId, threshold, topUpUrl } = link;
      const month = budgets.get(channel);
      const instance = instances.find(({ id }) => id === instanceId);
      return {
        channel,
        threshold,
        topUpUrl,
        balance: instance && balances.get(instance.accountId),
        runway: instance && runways.get(instance.accountId),
        budget: month,
        keyTrouble: instance && keyTroubleOf(instance),
        ...(mayAdminister(person) && {
          rules: { limits: limitsOf(link), month, listUndoMs: rules.listUndoMs },
        }),
      };
    });
}

function adminFacts(facts: WorkspaceFacts, unknown: UnknownFacts): AdminFacts {
  const { instances, balances, links, rules, optOuts, drifts, weeks } = facts;
  return {
    instances: instances.map((instance) => ({
      ...instance,
      balance: balances.get(instance.accountId),
      channels: links.filter(({ instanceId }) => instanceId === instance.id).length,
    })),
    unknown,
    ...(links.length > 0 && { rules: { rules, optOuts } }),
    drifts,
    weeks,
  };
}
