import { expect, test } from 'vitest';
import { NO_LIMITS } from '../../../../src/core/accounts/channel-limits.ts';
import { writeMetadata } from '../../../../src/slack/forms/form-data.ts';
import { submitLimits } from '../../../../src/slack/listeners/limits/limits.ts';
import type { Submission } from '../../../../src/slack/listeners/submission.ts';
import { FIELDS } from '../../../../src/slack/ui/ids.ts';
import type { SlackDeps } from '../../../../src/slack/workspaces/deps.ts';
import { ADMIN } from '../../../helpers/core-people.ts';

test('limits of a channel that somebody unlinks right then are not called saved, and no rule changes', async () => {
  const shown: unknown[] = [];
  // Once somebody has unlinked the channel, nothing is found.
  const linked = [{ link: { limits: NO_LIMITS } }];
  const deps = {
    access: { person: async () => ADMIN, again: async () => ADMIN },
    core: {
      links: {
        find: async () => linked.pop(),
        saveLimits: async () => false,
      },
      rules: { choose: () => expect.unreachable() },
    },
  } as unknown as SlackDeps;
  const metadata = { channel: 'C1', to: { channel: 'C1', user: ADMIN.id, issuedAt: 0 } };
  const form = {
    ack: async (answer: unknown) => void shown.push(answer),
    body: { user: { id: ADMIN.id, team_id: 'T1' } },
    view: { id: 'V1', title: { text: 'Limits' }, private_metadata: writeMetadata(metadata) },
    values: { [FIELDS.timeZone]: { zone: { type: 'plain_text_input', value: 'UTC' } } },
    metadata,
    showErrors: (errors: unknown) => shown.push(errors),
  } as unknown as Submission;
  await submitLimits(deps, form);
  expect(JSON.stringify(shown)).toContain('unlinked this channel meanwhile, so nothing was changed');
});
