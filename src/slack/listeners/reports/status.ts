import type { LinkedView } from '../../../core/accounts/instance-view.ts';
import { mayAdminister, type Person } from '../../../core/accounts/permissions.ts';
import type { CommandHandler } from '../../requests/slack-request.ts';
import type { Message } from '../../ui/blocks.ts';
import { ruleLines, rulesOfChannel, rulesOfWorkspace } from '../../ui/limits/rule-lines.ts';
import { statusMessage } from '../../ui/reports/status.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { refusalFacts } from '../setup/instance-forms.ts';

/** A channel's link and how it is doing, as of now. Admins also read how their provider refuses lists. */
export async function statusOf(deps: SlackDeps, linked: LinkedView, person: Person): Promise<Message> {
  const { core } = deps;
  const read = await core.credit.read(linked.instance);
  // The read may have noted that the key is refused, or works again.
  const { link, instance } = (await core.links.find(linked.link.channel)) ?? linked;
  const rules = await core.rules.now();
  return statusMessage({
    link,
    instance,
    askedBy: person.id,
    rules: ruleLines(
      ...rulesOfChannel(link, await core.links.budgets(link, person.id), rules),
      ...rulesOfWorkspace(rules, await core.optOuts.count()),
    ),
    balance: await core.credit.known(instance),
    isServiceSilent: read.kind === 'unavailable',
    unknown: await core.homes.unknown(0, link.channel),
    jobs: await core.jobs.open(link.channel),
    heldBack: await core.heldBackLately(link.channel),
    refusals: mayAdminister(person) ? await refusalFacts(deps, instance) : undefined,
  });
}

/** `/sms status`: this channel's link, and how it is doing. */
export const statusCommand: CommandHandler = async (deps, { person, channel, answer }) => {
  const usable = await deps.rights.usableLink(person, channel, 'status');
  await answer('refusal' in usable ? usable.refusal : await statusOf(deps, usable.linked, person));
};
