import { expect, test } from 'vitest';
import type { Person } from '../../../../src/core/accounts/permissions.ts';
import type { Click } from '../../../../src/slack/listeners/click.ts';
import { resumeJob } from '../../../../src/slack/listeners/lists/job.ts';
import { type Message, message } from '../../../../src/slack/ui/blocks.ts';
import type { SlackDeps } from '../../../../src/slack/workspaces/deps.ts';
import { ADMIN } from '../../../helpers/core-people.ts';

test('the answer to Resume goes by who the person is now, not by who they were minutes ago', async () => {
  const deps = {
    core: {
      jobs: { view: async () => undefined, resume: async () => ({ kind: 'not_linked', channel: 'C1' }) },
    },
    access: { again: async (known: Person) => ({ ...known, isAdmin: false }) },
    rights: {
      refusalMessage: async ({ isAdmin }: Person) => message(isAdmin ? 'Link it' : 'Please ask an admin'),
    },
  } as unknown as SlackDeps;
  const said: string[] = [];
  const answer = async ({ text }: Message) => void said.push(text);
  await resumeJob(deps, { person: ADMIN, value: 'job-1/0', answer } as unknown as Click);
  expect(said).toEqual(['Please ask an admin']);
});
