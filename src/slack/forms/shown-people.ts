import { createHash } from 'node:crypto';
import { LinkSettings } from '../../core/accounts/links.ts';
import { FIELDS } from '../ui/ids.ts';
import { LINK_FIELD_ERRORS } from '../ui/setup/link-form-fields.ts';
import type { FieldErrors, FormMetadata, ViewValues } from './form-data.ts';

/** More people than this do not fit into the metadata of a view, which Slack cuts at 3,000 characters. */
const MOST_REMEMBERED = 100;

/** What a form remembers of the people that it shows. `peopleDigest`: of too many; `people` is empty then. */
export function rememberedPeople(people: readonly string[]): { people: string[]; peopleDigest?: string } {
  if (people.length <= MOST_REMEMBERED) return { people: [...people] };
  return { people: [], peopleDigest: digestOf(people) };
}

/**
 * The people that a form showed. A digest only tells which list of `known` they are: the chosen one of the form, or the
 * present one. Undefined if they are neither: then the person and somebody else have both changed them.
 */
export function shownPeople(people: string[], digest: string | undefined, known: string[][]) {
  return digest === undefined ? people : known.find((each) => digestOf(each) === digest);
}

function digestOf(people: readonly string[]): string {
  return createHash('sha256').update(people.toSorted().join()).digest('base64url');
}

/** The settings that a form showed, if it remembers them; errors if it can't tell who changed the people. */
export function settingsShown(
  { metadata, values }: { metadata: FormMetadata; values: ViewValues },
  { chosen, now }: { chosen: LinkSettings; now: LinkSettings | undefined },
): LinkSettings | { errors: FieldErrors } | undefined {
  const { settings, peopleDigest } = metadata;
  if (!settings || !now) return settings;
  const people = shownPeople(settings.people, peopleDigest, [chosen.people, now.people]);
  if (people) return { ...settings, people };
  const field = FIELDS.people in values ? FIELDS.people : FIELDS.whoCanSend;
  return { errors: { [field]: LINK_FIELD_ERRORS.peopleChanged } };
}

/** A link's settings as a form shows them. */
export function rememberedOf(link: LinkSettings): Pick<FormMetadata, 'settings' | 'peopleDigest'> {
  const { people, ...rest } = rememberedPeople(link.people);
  return { settings: { ...LinkSettings.parse(link), people }, ...rest };
}
