import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { limitsView, openLimitsForm } from '../../forms/open-limits-form.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import { adminsOnly } from '../../ui/access-refusals.ts';
import type { ClickHandler, ViewClickHandler } from './action.ts';

/** **Limits**, of the channel that the button names. */
export const clickLimits: ClickHandler = async (deps, click) => {
  if (!mayAdminister(click.person)) return click.answer(adminsOnly('limits'));
  const channel = click.value || click.channel;
  const linked = await deps.core.links.find(channel);
  if (!linked) return click.answer(await notLinkedFor(deps, click.person));
  await openLimitsForm(deps, { ...click, channel, linked, user: click.person.id });
};

/** **Limits**, on top of the settings. */
export const openLimitsOverSettings: ViewClickHandler = async (deps, { body, person, metadata }) => {
  const { channel = '', to } = metadata;
  const linked = await deps.core.links.find(channel);
  if (!linked) return;
  const view = await limitsView(deps, { channel, linked, user: person.id, to });
  await deps.web.views.push({ trigger_id: body.trigger_id, view });
};
