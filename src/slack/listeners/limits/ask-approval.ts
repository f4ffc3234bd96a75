import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { isNobodyLeft } from '../../people/approval-rights.ts';
import { staleDraft } from '../../ui/draft-refusals.ts';
import { nobodyToAsk } from '../../ui/limits/approval-answers.ts';
import { waitingForApproval } from '../../ui/limits/approval-card.ts';
import { readBulkValue } from '../../ui/lists/list-repeats.ts';
import { tooLateMessage } from '../../ui/texts/outcome-lines.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { answerTooLate } from '../texts/text-draft.ts';

/** **Ask for approval**: the card comes from the outbox, whatever happens to this process. */
export async function askApproval(deps: SlackDeps, click: Click, why?: 'budget'): Promise<void> {
  const { core } = deps;
  const { person, value, to, answer, replace } = click;
  const { id, include } = readBulkValue(value);
  const draft = (await core.jobs.view(id)) ?? (await core.sends.view(id));
  const away = draft && (await deps.rights.membershipRefusal(person, draft.channel));
  if (away) return answer(away);
  const asked = await core.approvals.ask(id, person, to, {
    why,
    include,
    isNobodyLeft: (others) => isNobodyLeft(deps.access, person, others),
  });
  if (draft) deps.log.info({ send: draft.id, decision: asked.kind }, 'Ask for approval was pressed');
  switch (asked.kind) {
    case 'asked': {
      const request = await core.approvals.view(id);
      return request && replace(waitingForApproval(request));
    }
    case 'missing':
      return replace(staleDraft());
    case 'nobody_to_ask':
      return answer(
        nobodyToAsk(asked.named, {
          why,
          asker: person.id,
          isAdmin: mayAdminister(person),
          channel: draft?.channel ?? '',
        }),
      );
    case 'too_late':
      return 'counts' in asked.view ? replace(tooLateMessage(asked.view)) : answerTooLate(click, asked.view);
    default:
      return answer(await deps.rights.refusalMessage(person, asked));
  }
}

/** The same for an exception from a budget, which only admins grant. */
export const askException: ClickHandler = (deps, click) => askApproval(deps, click, 'budget');
