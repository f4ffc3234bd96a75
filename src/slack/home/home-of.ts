import { keyTroubleOf } from '../../core/accounts/key-trouble.ts';
import { mayAdminister, type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import type { HistoryRow } from '../../core/history/history-rows.ts';
import type { UnknownFacts } from '../../core/homes/unknown-facts.ts';
import type { WorkspaceFacts } from '../../core/homes/workspace-facts.ts';
import { requestsOf } from '../people/approval-rights.ts';
import type { Channel } from '../people/conversations.ts';
import type { ChannelFacts, HomeFacts } from '../ui/reports/home.ts';
import type { InstanceFacts } from '../ui/reports/home-admin.ts';

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
    isLinked: facts.links.length > 0,
    channels: mine,
    jobs: facts.jobs.filter((job) => isAdmin || job.details.by === person.id || shown.has(job.channel)),
    lastSends,
    requests: requestsOf(person, facts.requests),
    ...(unknown && { admin: { ...facts, unknown, instances: instancesOf(facts) } }),
  };
}

function channelsFor(person: Person, facts: WorkspaceFacts, channels: readonly Channel[]): ChannelFacts[] {
  const { links, instances, balances, budgets, runways } = facts;
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const nameOf = ({ channel }: { channel: string }) => names.get(channel) ?? '';
  return links
    .filter((link) => names.has(link.channel) && sendRefusal(person, link) === undefined)
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)))
    .map((link) => {
      const instance = instances.find(({ id }) => id === link.instanceId);
      return {
        ...link,
        balance: instance && balances.get(instance.accountId),
        runway: instance && runways.get(instance.accountId),
        budget: budgets.get(link.channel),
        keyTrouble: instance && keyTroubleOf(instance),
      };
    });
}

function instancesOf({ instances, balances, links }: WorkspaceFacts): InstanceFacts[] {
  return instances.map((instance) => ({
    ...instance,
    balance: balances.get(instance.accountId),
    channels: links.filter(({ instanceId }) => instanceId === instance.id).length,
  }));
}
