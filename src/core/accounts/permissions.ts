import type { Link, SpendingLimits } from '../../records/schema.ts';

export { isOwnRequest } from '../../ledger/rules/approvals.ts';

/** A person as permissions see them: for every command and click, as Slack said in the last five minutes. */
export interface Person {
  id: string;
  /** The workspace that runs the bot and that the person acts in. */
  team: string;
  /** Admin or owner of the workspace, or named in SLACK_ADMIN_IDS. */
  isAdmin: boolean;
  /** Guest of any kind. */
  isGuest: boolean;
  /** Belongs to another workspace and sees a shared channel. */
  isOutsider: boolean;
}

export type SendRefusal = 'outsider' | 'guest' | 'admins_only' | 'not_chosen';

/** Who may link, change settings, add and replace keys. */
export function mayAdminister(person: Person): boolean {
  return person.isAdmin && !person.isGuest && !person.isOutsider;
}

/** Why this person may not send, confirm or see balances. Undefined if they may. A link can allow guests and outsiders. */
export function sendRefusal(person: Person, link: Link): SendRefusal | undefined {
  const visitor = person.isOutsider || person.isGuest;
  const chosen = link.whoCanSend === 'chosen' && link.people.includes(person.id);
  if (visitor && !link.guests && !chosen) return person.isOutsider ? 'outsider' : 'guest';
  if (mayAdminister(person)) return undefined;
  if (link.whoCanSend === 'admins') return 'admins_only';
  if (link.whoCanSend === 'chosen' && !chosen) return 'not_chosen';
  return undefined;
}

/** User ids of a channel's approvers; none if the admins approve. Only admins grant an exception from a budget. */
export function namedApprovers(
  { approvers }: Pick<SpendingLimits, 'approvers'>,
  why?: 'budget',
): readonly string[] {
  return why === 'budget' ? [] : approvers;
}

/** Whether this person may approve and decline: one of the channel’s approvers, or an admin if nobody is chosen. */
export function mayApprove(
  person: Person,
  limits: Pick<SpendingLimits, 'approvers'>,
  why?: 'budget',
): boolean {
  if (person.isGuest || person.isOutsider) return false;
  const named = namedApprovers(limits, why);
  return named.length === 0 ? mayAdminister(person) : named.includes(person.id);
}

/** Whether a person may decide about what was sent by `by` from a channel that has no link any more. */
export function mayDecideWithoutLink(person: Person, by: string): boolean {
  return mayAdminister(person) || person.id === by;
}
