import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { limitsOf } from '../../core/accounts/limits.ts';
import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import type { Message } from '../ui/blocks.ts';
import { allRuleLines } from '../ui/limits/rule-lines.ts';
import { statusMessage } from '../ui/reports/status.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { refusalFacts } from './refusal-facts.ts';

/** What is behind a channel's link and how it is doing, as of now; to admins also how its provider refuses lists. */
export async function statusOf(
  deps: Pick<SlackDeps, 'core'>,
  { link, instance }: LinkedView,
  person: Person,
): Promise<Message> {
  const { core } = deps;
  const refusals = mayAdminister(person) ? await refusalFacts(deps, instance) : undefined;
  const { channel } = link;
  const known = await core.credit.known(instance);
  const unknown = await core.unknownSends(channel);
  const jobs = await core.jobs.open(channel);
  const rules = await core.rules.now();
  const heldBack = await core.heldBackLately(channel);
  return statusMessage({
    ...link,
    ...instance,
    rules: allRuleLines(
      {
        ...(await core.links.budgets(link, person.id)),
        limits: limitsOf(link),
        listUndoMs: rules.listUndoMs,
      },
      rules,
      await core.optOuts.count(),
    ),
    instanceName: instance.name,
    balance: known && { credits: known.credits, at: known.asOf },
    unknown,
    jobs,
    heldBack,
    leavingBy: link.leaving?.by,
    refusals,
  });
}
