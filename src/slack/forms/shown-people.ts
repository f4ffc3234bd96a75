import { createHash } from 'node:crypto';

/** More people than this do not fit into the metadata of a view, which Slack cuts at 3,000 characters. */
const MOST_REMEMBERED = 100;

/** What a form remembers of the people that it shows. `peopleDigest`: of too many; `people` is empty then. */
export interface RememberedPeople {
  people: string[];
  peopleDigest?: string;
}

export function rememberedPeople(people: readonly string[]): RememberedPeople {
  if (people.length <= MOST_REMEMBERED) return { people: [...people] };
  return { people: [], peopleDigest: digestOf(people) };
}

/**
 * The people that a form showed. A digest only tells whether they are those that were `chosen` in it, or those of `now`.
 * Undefined if they are neither: then the person and somebody else have both changed them.
 */
export function shownPeople(
  { people, peopleDigest }: { people: string[]; peopleDigest: string | undefined },
  { chosen, now }: { chosen: string[]; now: string[] },
): string[] | undefined {
  if (peopleDigest === undefined) return people;
  return [chosen, now].find((each) => digestOf(each) === peopleDigest);
}

function digestOf(people: readonly string[]): string {
  return createHash('sha256').update(people.toSorted().join()).digest('base64url');
}
