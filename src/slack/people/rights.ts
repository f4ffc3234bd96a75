import type { LinkedView } from '../../core/accounts/instance-view.ts';
import { countryOf } from '../../core/accounts/links.ts';
import { mayAdminister, type Person, sendRefusal } from '../../core/accounts/permissions.ts';
import type { JobRefusal } from '../../core/jobs/job-rights.ts';
import type { CreditsShort } from '../../core/sends/decision-answers.ts';
import type { TeamCore } from '../../core/team-core.ts';
import { slackErrorOf } from '../connection/slack-error.ts';
import {
  type AdminTask,
  adminsOnly,
  membersUnknown,
  notInChannel,
  notLinked,
  seeRefused,
  sendRefused,
} from '../ui/access-refusals.ts';
import type { Message } from '../ui/blocks.ts';
import { creditsShort, keyUnusable, NOT_SENT_YET, notYours, topUpButton } from '../ui/draft-refusals.ts';
import { expiredUnseen } from '../ui/expired-draft.ts';
import { OWN_REQUEST } from '../ui/limits/approval-answers.ts';
import { listTooLong } from '../ui/limits/budget-words.ts';
import { allOptedOut, OPT_OUTS_FOR_ADMINS, OPT_OUTS_FOR_SENDERS } from '../ui/limits/opt-outs.ts';
import { JOB_GONE, JOB_UNLINKING } from '../ui/lists/job-sentences.ts';
import { type Prefill, withWords, withWordsAndForm } from '../ui/prefill.ts';
import { type Access, AccessError } from './access.ts';
import type { Conversations } from './conversations.ts';

/** Says what a person may do in a channel, or why they may not. */
export function createRights(deps: {
  core: TeamCore;
  access: Pick<Access, 'again'>;
  conversations: Pick<Conversations, 'hasMember' | 'sendableBy'>;
}) {
  const { core, access, conversations } = deps;
  const rights = {
    /** The channel's link, if this person may send by it, or `see` something of it. If not, why. */
    async usableLink(
      person: Person,
      channel: string,
      see?: 'balance' | 'status' | 'history',
    ): Promise<{ linked: LinkedView } | { refusal: Message }> {
      const linked = await core.links.find(channel);
      if (!linked) return { refusal: await rights.notLinkedFor(person, channel) };
      const why = sendRefusal(person, linked.link);
      if (!why) return { linked };
      return { refusal: see ? seeRefused(see, linked.link) : sendRefused(why, linked.link) };
    },
    /** Why this person may not act for a channel: they are not in it, or the bot can't see who is. @throws AccessError */
    async membershipRefusal(person: Person, channel: string): Promise<Message | undefined> {
      try {
        return (await conversations.hasMember(channel, person.id)) ? undefined : notInChannel(channel);
      } catch (error) {
        // A private channel that the bot was put out of: Slack does not say who is in it.
        if (slackErrorOf(error) === 'channel_not_found') return membersUnknown(channel);
        throw new AccessError({ cause: error });
      }
    },
    /** "Not linked", or that the link is damaged, with the people to ask. `here`: where the person reads it. */
    async notLinkedFor(person: Person, channel: string, here = channel): Promise<Message> {
      const isDamaged = await core.links.isDamaged(channel);
      const elsewhere = here === channel ? undefined : channel;
      return notLinked({
        isAdmin: mayAdminister(person),
        admins: await rights.admins(),
        isDamaged,
        elsewhere,
      });
    },
    /** Some admins of the workspace, to ask: those who linked channels. */
    async admins(): Promise<string[]> {
      const links = await core.links.list();
      return [...new Set(links.map((link) => link.linkedBy))].slice(0, 5);
    },
    /** For somebody who is no admin and tried what only admins do. */
    async adminsOnly(task: AdminTask): Promise<Message> {
      return adminsOnly(task, await rights.admins());
    },
    /** Why this person may not see opt-outs: they can send from no channel. `channel`: where they act now. */
    async notASender(person: Person, channel: string): Promise<Message | undefined> {
      const linked = await core.links.find(channel);
      const maySend = linked && !sendRefusal(person, linked.link);
      // The person may have left the channel since the form or the button was shown.
      if (maySend && !(await rights.membershipRefusal(person, channel))) return undefined;
      return (await conversations.sendableBy(person)).length > 0 ? undefined : OPT_OUTS_FOR_SENDERS;
    },
    /** Why this person may not change opt-outs, as of now. By the workspace's rules, only admins may, or all who can send. */
    async optOutRefusal(known: Person, channel: string): Promise<Message | undefined> {
      const person = await access.again(known);
      if (mayAdminister(person)) return undefined;
      const { whoMayOptOut } = await core.rules.now();
      return whoMayOptOut === 'admins' ? OPT_OUTS_FOR_ADMINS : rights.notASender(person, channel);
    },
    /** The country whose numbers need no country code in the channel; undefined if its link has none. */
    async countryIn(channel: string): Promise<ReturnType<typeof countryOf>> {
      return countryOf((await core.links.find(channel))?.link);
    },
    /** Adds the typed words to a refusal, and the form if this person can send from another channel. */
    async keepWords(person: Person, refusal: Message, given: Prefill): Promise<Message> {
      const others = await conversations.sendableBy(person);
      return others.length === 0 ? withWords(refusal, given) : withWordsAndForm(refusal, given);
    },
    /** Says why a person can't send a text or a list, or not now. `from`: what they want to send, or its channel. */
    async refusalMessage(person: Person, refusal: Refusal, from: From | undefined): Promise<Message> {
      switch (refusal.kind) {
        case 'missing':
          return JOB_GONE;
        case 'not_yours':
          return notYours(refusal.owner);
        case 'credits_short':
          return creditsShort(
            refusal,
            topUpButton((from && (await core.links.find(from.channel)))?.link ?? {}),
          );
        case 'no_balance':
          return NOT_SENT_YET;
        case 'own_request':
          return OWN_REQUEST;
        case 'not_linked':
          return rights.notLinkedFor(person, refusal.channel);
        case 'refused':
          return sendRefused(refusal.why, refusal.link);
        case 'key_refused':
        case 'other_account':
          return keyUnusable(refusal, { isAdmin: mayAdminister(person) });
        case 'unlinking':
          return JOB_UNLINKING;
        case 'draft_expired':
          return expiredUnseen(refusal.view);
        case 'list_too_long':
          return listTooLong(refusal);
        case 'all_opted_out':
          return allOptedOut(refusal.messages);
      }
    },
  };
  return rights;
}

type From = { channel: string };
/** Why a person can't send a text or a list, or not now: of any command or button. */
export type Refusal =
  | JobRefusal
  | CreditsShort
  | { kind: 'not_yours'; owner: string }
  /** `missing`: the ledger has no such job (any more). */
  | { kind: 'missing' | 'no_balance' | 'own_request' };
