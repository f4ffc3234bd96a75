import type { SpendingLimits } from '../../records/schema.ts';
import { limitsOf } from '../accounts/channel-limits.ts';
import type { Credit } from '../accounts/credit.ts';
import type { KeyUnusable } from '../accounts/key-trouble.ts';
import type { Link, Linked, Links } from '../accounts/links.ts';
import {
  isOwnRequest,
  mayApprove,
  mayDecideWithoutLink,
  type Person,
  sendRefusal,
} from '../accounts/permissions.ts';
import type { ListTooLong, NotAllowed, Unlinking } from '../sends/decision-answers.ts';
import { sendableLink } from '../sends/own-draft.ts';
import type { JobView } from './job-view.ts';

/** Why somebody can't ask for a job here. */
export type JobRefusal =
  | NotAllowed
  | KeyUnusable
  | Unlinking
  | ListTooLong
  /** The draft expired while the bot wrote it: the channel was linked again, or its key changed. */
  | { kind: 'draft_expired'; view: JobView }
  /** Every recipient of the list has opted out; `messages`: how many they are. */
  | { kind: 'all_opted_out'; messages: number };

/** Whether a person may approve what a list takes above its approval; `own`: they asked for the list themselves. */
export type RestRight = 'may' | 'own' | 'not_approver';

/** The channel's link, if this person may draft a job there now. */
export async function channelForDraft(
  { links, credit }: { links: Pick<Links, 'find'>; credit: Pick<Credit, 'keyUnusable'> },
  channel: string,
  person: Person,
): Promise<{ kind: 'linked'; linked: Linked } | JobRefusal> {
  const found = await sendableLink(links, channel, person);
  if (found.kind !== 'linked') return found;
  const { link, instance } = found.linked;
  if (link.leaving) return { kind: 'unlinking' };
  return (await credit.keyUnusable(instance)) ?? found;
}

/** Why a person may not pause, resume or stop a job. All who may send from its channel, or approve, may. */
export async function refusalToControl(
  links: Pick<Links, 'find'>,
  job: JobView,
  person: Person,
): Promise<JobRefusal | undefined> {
  const linked = await links.find(job.team, job.channel);
  if (!linked) {
    const mayAnyway = mayDecideWithoutLink(person, job.details.by);
    return mayAnyway ? undefined : { kind: 'not_linked', channel: job.channel };
  }
  const { link } = linked;
  const why = mayApprove(person, limitsOf(link)) ? undefined : sendRefusal(person, link);
  return why && { kind: 'refused', why, link };
}

/** Whether a person may approve what a list takes above its approval. Without `rules`, the admins may. */
export function rightToApproveRest(
  { details }: JobView,
  person: Person,
  rules: SpendingLimits | undefined,
): RestRight {
  if (!mayApprove(person, rules ?? { approvers: [] })) return 'not_approver';
  return isOwnRequest(details.by, person.id, rules?.ownApproval) ? 'own' : 'may';
}

/** The refusal if a list has more recipients than its channel allows. */
export function tooLong(link: Link, recipients: number): ListTooLong | undefined {
  const { largestList: most } = limitsOf(link);
  return most === undefined || recipients <= most ? undefined : { kind: 'list_too_long', recipients, most };
}
