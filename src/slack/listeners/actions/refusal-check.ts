import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { openModal } from '../../forms/open-modal.ts';
import { refusalCheckView } from '../../forms/refusal-check-view.ts';
import { adminsOf } from '../../people/usable-link.ts';
import { checkIsForAdmins, INSTANCE_GONE } from '../../ui/setup/refusal-check-forms.ts';
import { TITLES } from '../../ui/views.ts';
import type { ClickHandler } from './action.ts';

/** **How does my provider refuse?** on a job's card, **Finish the check** in direct messages. */
export const checkRefusals: ClickHandler = async (deps, { person, value, triggerId, to, answer }) => {
  if (!mayAdminister(person)) return answer(checkIsForAdmins(await adminsOf(deps)));
  const instance = await deps.core.instances.get(value);
  if (!instance) return answer(INSTANCE_GONE);
  await openModal(deps, triggerId, TITLES.refusalCheck, () =>
    refusalCheckView(deps, instance, { to, instance: instance.id }),
  );
};
