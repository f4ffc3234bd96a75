import type { Link } from '../../../core/accounts/links.ts';
import { writeMetadata } from '../../forms/form-data.ts';
import { readKeepDays, readLinkFields, readRefusalFields } from '../../forms/read-link-fields.ts';
import { linkDigest } from '../../forms/shown-digest.ts';
import { FIELDS } from '../../ui/ids.ts';
import { LINK_FIELD_ERRORS } from '../../ui/setup/link-form-fields.ts';
import { SAVED, settingsForm, UNLINKED_MEANWHILE } from '../../ui/setup/settings-form.ts';
import { TITLES } from '../../ui/views.ts';
import { ofLink } from '../guards.ts';
import { adminOf, answered } from '../submission.ts';
import { refusalFacts } from './instance-forms.ts';
import { atFields } from './link.ts';

/** The settings form: saves what this admin changed. A new threshold warns at once, or takes a warning back. */
export const submitSettings = answered(async (deps, form) => {
  const { values } = form;
  const fields = readLinkFields(values);
  const { keepDays } = deps.core;
  const kept = readKeepDays(values, keepDays.most);
  const errors = { ...fields.errors, ...kept.errors };
  if (Object.keys(errors).length > 0) return atFields(deps, form, { errors, lacks: fields.lacks });
  const { channel = '', instance: id = '', shown } = form.metadata;
  const chosen = readRefusalFields(values);
  const person = await adminOf(deps, form);
  const linked = await deps.core.links.find(channel);
  if (!linked) return { notice: UNLINKED_MEANWHILE };
  // Slack may deliver a form again once it is saved: then the link is as the form wants it.
  const isAsShown = ({ instanceId, leaving, ...link }: Link) =>
    [form.metadata.digest, linkDigest({ ...fields.settings, instanceId, leaving })].includes(
      linkDigest({ ...link, instanceId, leaving }),
    );
  if (!(await deps.core.links.saveSettings(linked.link, fields.settings, isAsShown)))
    return { errors: { [FIELDS.threshold]: LINK_FIELD_ERRORS.changed } };
  await deps.core.checkWarnings(linked.instance);
  const instance = await deps.core.instances.get(id);
  const { refusals } = deps.core;
  if (instance && shown && chosen.refusals && chosen.refusals !== shown.refusals)
    await refusals.set(instance, chosen.refusals, person.id);
  if (instance && shown && chosen.shared !== shown.shared)
    await refusals.setShared(instance, chosen.shared, person.id);
  if (shown?.keepDays !== undefined && kept.days !== shown.keepDays)
    await keepDays.choose(kept.days < keepDays.most ? kept.days : undefined, person.id);
  return { notice: SAVED };
});

export const openSettings = ofLink(async (deps, { channel, open, to, linked }) => {
  const { link, instance } = linked;
  await open(TITLES.settingsForm, async () => {
    const facts = await refusalFacts(deps, instance);
    const shared = await deps.core.refusals.isShared(instance);
    const keepDays = await deps.core.keepDays.now();
    const shown = { refusals: facts.rule.mode, shared, keepDays };
    return settingsForm(linked, {
      refusals: { ...facts, shared },
      keepDays: { now: keepDays, most: deps.core.keepDays.most },
      metadata: writeMetadata({ channel, to, instance: instance.id, shown, digest: linkDigest(link) }),
    });
  });
});
