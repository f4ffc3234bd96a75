import { adminOnlyWord } from '../../admin-only.ts';
import { unlinkQuestion } from '../../ui/link-news.ts';
import { notLinkedFor } from '../../usable-link.ts';
import type { CommandHandler } from './command.ts';

/** `/sms unlink`: asks first; the button decides. */
export const unlinkCommand: CommandHandler = async (deps, request) => {
  const refusal = adminOnlyWord(request);
  if (refusal) return request.reply(refusal);
  const linked = await deps.core.links.find(request.person.team, request.channel);
  if (!linked) return request.reply(await notLinkedFor(deps, request.person));
  await request.reply(unlinkQuestion({ instanceName: linked.instance.name, channel: request.channel }));
};
