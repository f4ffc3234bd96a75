import type { Link } from '../../records/schema.ts';

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
