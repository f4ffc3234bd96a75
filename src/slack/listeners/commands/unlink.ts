import { unlinkQuestion, unlinkWithJobsQuestion } from '../../ui/setup/link-news.ts';
import type { CommandHandler } from './command.ts';
import { linkedForAdmin } from './linked-for-admin.ts';

/** `/sms unlink`: asks first; the button decides. */
export const unlinkCommand: CommandHandler = async (deps, request) => {
  const linked = await linkedForAdmin(deps, request);
  if (!linked) return;
  const about = { instanceName: linked.instance.name, channel: request.channel };
  const jobs = await deps.core.jobs.open(request.channel);
  await request.reply(
    jobs.length === 0 ? unlinkQuestion(about) : unlinkWithJobsQuestion({ ...about, jobs: jobs.length }),
  );
};
