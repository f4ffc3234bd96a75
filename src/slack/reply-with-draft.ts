import type { Person } from '../core/accounts/permissions.ts';
import type { Drafted, Resends } from '../core/sends/sends.ts';
import type { ReadNumber } from '../core/texts/phone.ts';
import type { SlackDeps } from './deps.ts';
import type { ReplyTo } from './replies.ts';
import { draftMessage } from './ui/draft.ts';
import { creditsShort, keyRefused, sendRefused } from './ui/refusals.ts';
import type { Message } from './ui/words.ts';
import { notLinkedFor } from './usable-link.ts';

/** Writes the draft and shows its preview to the person, or says why there is none. */
export async function replyWithDraft(
  deps: SlackDeps,
  input: {
    person: Person;
    channel: string;
    number: ReadNumber;
    text: string;
    to: ReplyTo;
    resends?: Resends;
  },
  options: { replace?: boolean } = {},
): Promise<void> {
  const { to, ...rest } = input;
  const drafted = await deps.core.sends.draft({ ...rest, reply: to });
  if (drafted.kind === 'draft') deps.log.info({ send: drafted.view.id }, 'a draft was made');
  await deps.replies.toPerson(to, await draftedMessage(deps, input.person, drafted), options);
}

async function draftedMessage(deps: SlackDeps, person: Person, drafted: Drafted): Promise<Message> {
  switch (drafted.kind) {
    case 'draft':
      return draftMessage({
        view: drafted.view,
        instanceName: drafted.linked.instance.name,
        threshold: drafted.linked.link.threshold,
        crossesThreshold: drafted.crossesThreshold,
      });
    case 'not_linked':
      return notLinkedFor(deps, person);
    case 'refused':
      return sendRefused(drafted.why, drafted.link);
    case 'credits_short':
      return creditsShort({ needed: drafted.needed, available: drafted.available });
    case 'key_refused':
      return keyRefused(drafted.instance.name);
  }
}
