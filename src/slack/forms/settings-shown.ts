import type { LinkSettings } from '../../core/accounts/links.ts';
import { FIELDS } from '../ui/ids.ts';
import { LINK_FIELD_ERRORS } from '../ui/setup/link-form-fields.ts';
import type { FormMetadata } from './form-metadata.ts';
import { shownPeople } from './shown-people.ts';
import type { FieldErrors, ViewValues } from './view-values.ts';

/**
 * The settings that a link or settings form showed when it opened. Undefined if the form does not remember them.
 * Compare the person's choice with them to see what the person changed. Returns errors if the person and somebody
 * else both changed the people, and the form knows only a digest.
 */
export function settingsShown(
  { metadata, values }: { metadata: FormMetadata; values: ViewValues },
  { chosen, now }: { chosen: LinkSettings; now: LinkSettings | undefined },
): LinkSettings | { errors: FieldErrors } | undefined {
  const { settings, peopleDigest } = metadata;
  if (!settings || !now) return settings;
  const people = shownPeople(
    { people: settings.people, peopleDigest },
    { chosen: chosen.people, now: now.people },
  );
  if (people) return { ...settings, people };
  const field = FIELDS.people in values ? FIELDS.people : FIELDS.whoCanSend;
  return { errors: { [field]: LINK_FIELD_ERRORS.peopleChanged } };
}
