import type { Instance, Link } from '../records/schema.ts';

/** `key`: its trouble. `refusals`: how its provider refuses lists. `shared`: whether other programs use its key. */
const OF_INSTANCE = ['key', 'refusals', 'shared', 'refusal-check'] as const;

/** The name of an instance's state in the ledger. */
export function instanceState(
  about: (typeof OF_INSTANCE)[number],
  { team, id }: Pick<Instance, 'team' | 'id'>,
): string {
  return `${about}:${team}/${id}`;
}

/** All states of an instance: nobody needs them once it is removed. */
export function statesOfInstance(instance: Pick<Instance, 'team' | 'id'>): string[] {
  return OF_INSTANCE.map((about) => instanceState(about, instance));
}

/**
 * The state of a link's low-credit alert: nobody needs it once the link is removed. A new link of the channel is a new
 * alert: another account may pay for it, and other people may read its card.
 */
export function lowCreditState(link: Pick<Link, 'team' | 'channel' | 'linkedAt'>): string {
  return `credit:${link.team}/${link.channel}:${link.linkedAt}`;
}
