import type { Button } from '@slack/types';
import { approvalLimit } from '../../core/accounts/approvers.ts';
import { limitsOf } from '../../core/accounts/channel-limits.ts';
import { mayAdminister } from '../../core/accounts/permissions.ts';
import type { DraftInput } from '../../core/sends/draft-text.ts';
import { formatNumber } from '../../core/texts/phone-format.ts';
import { refusalMessage } from '../people/refusal-message.ts';
import { keepWords } from '../people/usable-link.ts';
import type { Message } from '../ui/blocks.ts';
import { creditsShort, keyRefused, replaceKeyButton, topUpButton } from '../ui/draft-refusals.ts';
import { optedOutRefusal } from '../ui/limits/opt-outs.ts';
import { withWords, withWordsAndForm } from '../ui/prefill.ts';
import { draftMessage } from '../ui/texts/draft.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { ReplyTo } from './replies.ts';

/** A draft that a person wants, and how to reach them. */
type DraftWish = Omit<DraftInput, 'reply'> & { to: ReplyTo };

/**
 * Writes the draft and shows its preview to the person, or says why there is none. Nothing comes of a `request` that came
 * before.
 */
export async function replyWithDraft(
  deps: SlackDeps,
  input: DraftWish,
  options: { replace?: boolean } = {},
): Promise<void> {
  const { to, ...asked } = input;
  const { resends, person } = asked;
  const say = (message: Message) => deps.replies.toPerson(to, message, options);
  const given = {
    recipient: formatNumber(input.number.e164),
    message: input.text,
    ...(input.channel !== to.channel && { channel: input.channel }),
  };
  // The form would make a new text of a resend, without the warning that it may come twice.
  const refuse = async (refusal: Message) =>
    say(resends ? refusal : await keepWords(deps, person, refusal, given));
  const sayLater = (refusal: Message, more?: Button) =>
    say(resends ? refusal : withWordsAndForm(refusal, given, more));
  const drafted = await deps.core.sends.draft({ ...asked, reply: to });
  if (drafted.kind === 'draft') {
    const { view, linked, crossesThreshold, budgets, same } = drafted;
    deps.log.info({ send: view.id }, 'a draft was made');
    const { threshold } = linked.link;
    const approvalAbove = approvalLimit(limitsOf(linked.link), view.details.estimate);
    const instanceName = linked.instance.name;
    return say(
      draftMessage({ view, instanceName, threshold, crossesThreshold, budgets, same, approvalAbove }),
    );
  }
  const { request } = asked;
  if (drafted.kind === 'repeated' || (request !== undefined && !(await deps.core.firstTime(request)))) return;
  switch (drafted.kind) {
    case 'credits_short': {
      const linked = await deps.core.links.find(asked.channel);
      return sayLater(creditsShort(drafted), linked && topUpButton(linked.link));
    }
    case 'key_refused': {
      const linked = mayAdminister(person) ? await deps.core.links.find(asked.channel) : undefined;
      return sayLater(keyRefused(drafted.instanceName), linked && replaceKeyButton(linked.instance.id));
    }
    case 'opted_out':
      return say(withWords(optedOutRefusal(input.number, drafted.optOut), given));
    default:
      return refuse(await refusalMessage(deps, person, drafted));
  }
}
