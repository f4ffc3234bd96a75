import type { ModalView } from '@slack/types';
import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { limitsOf } from '../../core/accounts/limits.ts';
import { canonicalTimeZone } from '../../core/budgets/calendar.ts';
import type { ReplyTo } from '../answers/replies.ts';
import { limitsForm } from '../ui/limits/limits-form.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';

interface LimitsRequest {
  channel: string;
  linked: LinkedView;
  /** The admin's user id: until somebody chose one, their own time zone is proposed. */
  user: string;
  to: ReplyTo;
}

/** More approvers than this do not fit into the metadata of a view, which Slack cuts at 3,000 characters. */
const MOST_REMEMBERED = 100;

export async function openLimitsForm(
  deps: SlackDeps,
  { triggerId, ...request }: LimitsRequest & { triggerId: string },
): Promise<void> {
  await openModal(deps, triggerId, TITLES.limitsForm, () => limitsView(deps, request));
}

/** The same as a view. */
export async function limitsView(
  { core, access }: Pick<SlackDeps, 'core' | 'access'>,
  { channel, linked: { link }, user, to }: LimitsRequest,
): Promise<ModalView> {
  const { isTimeZoneChosen, ...rules } = await core.rules.now();
  const own = isTimeZoneChosen ? undefined : canonicalTimeZone((await access.timeZone(user)) ?? '');
  const { timeZone } = rules;
  const limits = limitsOf(link);
  return limitsForm({
    channel,
    limits,
    rules: { ...rules, timeZone: own ?? timeZone },
    budgets: await core.links.budgets(link, user),
    metadata: writeMetadata({
      channel,
      to,
      rules: isTimeZoneChosen ? rules : undefined,
      limits: limits.approvers.length > MOST_REMEMBERED ? undefined : limits,
    }),
  });
}
