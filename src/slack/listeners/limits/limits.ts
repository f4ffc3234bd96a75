import type { ModalView } from '@slack/types';
import { limitsOf, SpendingLimits } from '../../../core/accounts/channel-limits.ts';
import type { Link } from '../../../core/accounts/links.ts';
import { requestCardOf } from '../../../core/approvals/approvals.ts';
import { writeMetadata } from '../../forms/form-data.ts';
import { readLimitsFields } from '../../forms/read-limits-fields.ts';
import { digestOf } from '../../forms/shown-digest.ts';
import { FIELDS } from '../../ui/ids.ts';
import { approversError, limitsForm, limitsSaved } from '../../ui/limits/limits-form.ts';
import { LINK_FIELD_ERRORS } from '../../ui/setup/link-form-fields.ts';
import { UNLINKED_MEANWHILE } from '../../ui/setup/settings-form.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import { present } from '../../ui/words.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { ViewClickHandler } from '../click.ts';
import { type LinkRequest, ofLink } from '../guards.ts';
import { adminOf, answered } from '../submission.ts';

/** Saves the limits form, unless another admin has changed something in it meanwhile. */
export const submitLimits = answered(async (deps, form) => {
  const { limits, rules, errors } = readLimitsFields(form.values);
  if (Object.keys(errors).length > 0) return { errors };
  const { channel = '', rules: shown, digest } = form.metadata;
  const person = await adminOf(deps, form, 'limits');
  const { core } = deps;
  const linked = await core.links.find(channel);
  if (!linked) return { notice: UNLINKED_MEANWHILE };
  const cannotApprove = present(
    ...(await Promise.all(limits.approvers.map((each) => deps.access.visitor(each)))),
  );
  if (cannotApprove.length > 0) return { errors: { [FIELDS.approvers]: approversError(cannotApprove) } };
  // Slack may deliver a form again once it is saved: then all is as the form wants it.
  const isAsShown = (link: Link) =>
    [digest, digestOf(SpendingLimits.parse(limits))].includes(digestOf(limitsOf(link)));
  const choice = { chosen: rules, by: person.id, shown };
  const isSaved = await core.links.saveLimits(linked.link, limits, isAsShown, choice);
  if (!isSaved && !(await core.links.find(channel))) return { notice: UNLINKED_MEANWHILE };
  if (!isSaved) return { errors: { [FIELDS.approvalAbove]: LINK_FIELD_ERRORS.changed } };
  deps.log.info({ channel }, 'an admin saved the limits of a channel');
  // New approvers get the requests that wait, too.
  for (const { view, approval } of await core.approvals.waiting())
    if (view.channel === channel) await core.announce(requestCardOf(view, approval));
  const saved = (await core.links.find(channel)) ?? linked;
  const budgets = await core.links.budgets(saved.link, person.id);
  return { notice: limitsSaved(channel, budgets) };
});

export const openLimitsOverSettings: ViewClickHandler = async (deps, { push, person, metadata }) => {
  const { channel = '', to } = metadata;
  const linked = await deps.core.links.find(channel);
  const view = linked && (await limitsView(deps, { channel, linked, person, to }));
  await push(view ?? noticeView(TITLES.limitsForm, UNLINKED_MEANWHILE));
};

/** Opens the limits of a channel's link: what it may spend, and who has to agree. */
export const openLimits = ofLink((deps, request) =>
  request.open(TITLES.limitsForm, () => limitsView(deps, request)),
);

/** The limits of a channel's link. Until somebody has chosen a time zone, the form proposes the admin's own. */
async function limitsView(
  { core, access }: Pick<SlackDeps, 'core' | 'access'>,
  { channel, linked: { link }, person, to }: Pick<LinkRequest, 'channel' | 'linked' | 'person' | 'to'>,
): Promise<ModalView> {
  const { isTimeZoneChosen, listUndoMs, ...now } = await core.rules.now();
  const rules = { ...now, timeZone: isTimeZoneChosen ? now.timeZone : await access.timeZone(person.id) };
  const limits = limitsOf(link);
  const metadata = writeMetadata({ channel, to, rules, digest: digestOf(limits) });
  const budgets = await core.links.budgets(link, person.id);
  return limitsForm({ channel, limits, rules, listUndoMs, budgets, metadata });
}
