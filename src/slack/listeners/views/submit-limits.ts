import { isDeepStrictEqual } from 'node:util';
import { limitsOf } from '../../../core/accounts/channel-limits.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { requestCardOf } from '../../../core/approvals/approvals.ts';
import { readLimitsFields } from '../../forms/read-limits-fields.ts';
import { shownPeople } from '../../forms/shown-people.ts';
import { FIELDS } from '../../ui/ids.ts';
import { approversError, limitsNotSaved, limitsSaved } from '../../ui/limits/limits-form.ts';
import { LINK_FIELD_ERRORS } from '../../ui/setup/link-form-fields.ts';
import { UNLINKED_MEANWHILE } from '../../ui/setup/settings-form.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import { answerAdmin, type FormHandler, type FormResult } from './submission.ts';

/** Saves what this admin changed in the limits form: other admins may have it open, too. */
export const submitLimits: FormHandler = async (deps, form) => {
  const { limits, rules, errors } = readLimitsFields(form.values);
  if (Object.keys(errors).length > 0) return form.showErrors(errors);
  const { channel = '', rules: shown, areRulesNew, limits: before, peopleDigest } = form.metadata;

  async function work(person: Person): Promise<FormResult> {
    const { core } = deps;
    const linked = await core.links.find(channel);
    if (!linked) return { notice: UNLINKED_MEANWHILE };
    const looked = await Promise.all(limits.approvers.map((each) => deps.access.visitor(each)));
    const visitors = looked.filter((each) => each !== undefined);
    if (visitors.length > 0) return { errors: { [FIELDS.approvers]: approversError(visitors) } };
    const approvers =
      before &&
      shownPeople(
        { people: before.approvers, peopleDigest },
        { chosen: limits.approvers, now: limitsOf(linked.link).approvers },
      );
    if (before && !approvers) return { errors: { [FIELDS.approvers]: LINK_FIELD_ERRORS.peopleChanged } };
    const shownLimits = before && approvers && { ...before, approvers };
    if (areRulesNew || !isDeepStrictEqual(rules, shown)) await core.rules.choose(rules, person.id, shown);
    await core.links.saveLimits(linked.link, limits, shownLimits);
    deps.log.info({ channel }, 'limits were saved');
    // Requests that wait go to new approvers, too.
    for (const { view, approval } of await core.approvals.waiting())
      if (view.channel === channel) await core.announce(requestCardOf(view, approval));
    const saved = (await core.links.find(channel)) ?? linked;
    const budgets = await core.links.budgets(saved.link, person.id);
    return { notice: limitsSaved(channel, budgets) };
  }

  const again = async (error: string) => noticeView(TITLES.limitsForm, limitsNotSaved(error));
  await answerAdmin(deps, form, work, { word: 'limits', again });
};
