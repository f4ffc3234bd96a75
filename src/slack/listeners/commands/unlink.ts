import { adminOnlyWord } from '../../people/admin-only.ts';
import { notLinkedFor } from '../../people/usable-link.ts';
import { unlinkQuestion, unlinkWithJobsQuestion } from '../../ui/setup/link-news.ts';
import type { CommandHandler } from './command.ts';

/** `/sms unlink`: asks first; the button decides. */
export const unlinkCommand: CommandHandler = async (deps, request) => {
  const refusal = adminOnlyWord(request);
  if (refusal) return request.reply(refusal);
  const linked = await deps.core.links.find(request.channel);
  if (!linked) return request.reply(await notLinkedFor(deps, request.person));
  const about = { instanceName: linked.instance.name, channel: request.channel };
  const jobs = await deps.core.jobs.open(request.channel);
  await request.reply(
    jobs.length === 0 ? unlinkQuestion(about) : unlinkWithJobsQuestion({ ...about, jobs: jobs.length }),
  );
};
