import type { Person } from '../../src/core/accounts/permissions.ts';
import type { Core } from '../../src/core/core.ts';
import type { JobDraftInput } from '../../src/core/jobs/job-drafts.ts';
import type { JobView } from '../../src/core/jobs/job-view.ts';
import { ROW_WORDS } from '../../src/slack/ui/lists/words-in-files.ts';
import { ANA } from './core-people.ts';
import { eventually } from './core-sends.ts';

/** A fictitious number of the United Kingdom, in digits, by its place in a list. There are 1,000 of them. */
export function phoneAt(place: number): string {
  return `447700900${String(place).padStart(3, '0')}`;
}

/** A pasted list of this many recipients, each with a number of its own. */
export function aList(count: number): string {
  return Array.from({ length: count }, (_, place) => `+${phoneAt(place)}, Name ${place}`).join('\n');
}

/** Ana's job for #sales. */
export function aJob(over: Partial<JobDraftInput> & { count?: number } = {}): JobDraftInput {
  const { count = 10, ...rest } = over;
  return {
    channel: 'C-sales',
    person: ANA,
    source: { kind: 'pasted', text: aList(count) },
    template: 'Hello {2}',
    words: ROW_WORDS,
    reply: { url: 'first' },
    ...rest,
  };
}

/** A draft. Throws if core makes none. */
export async function draftedJob(core: Core, over: Parameters<typeof aJob>[0] = {}): Promise<JobView> {
  const answer = await core.jobs.draft(aJob(over));
  if (answer.kind !== 'draft') throw new Error(`expected a draft, got ${JSON.stringify(answer)}`);
  return answer.preview.view;
}

/** A job that its drafter has confirmed. */
export async function startedJob(core: Core, over: Parameters<typeof aJob>[0] = {}): Promise<JobView> {
  const draft = await draftedJob(core, over);
  const answer = await core.jobs.confirm(draft.id, (over.person as Person) ?? ANA, { url: 'second' });
  if (answer.kind !== 'running') throw new Error(`expected a running job, got ${JSON.stringify(answer)}`);
  return answer.view;
}

/** The job once it is in this state. */
export function jobIn(core: Core, id: string, state: JobView['state']): Promise<JobView> {
  return eventually(async () => {
    const view = await core.jobs.view(id);
    if (view?.state !== state)
      throw new Error(
        `the job is ${view?.state}: ${JSON.stringify(view?.pause)} ${JSON.stringify(view?.counts)}`,
      );
    return view;
  });
}
