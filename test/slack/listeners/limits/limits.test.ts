import { expect, test } from 'vitest';
import { limitsOf, NO_LIMITS } from '../../../../src/core/accounts/channel-limits.ts';
import { writeMetadata } from '../../../../src/slack/forms/form-data.ts';
import { digestOf } from '../../../../src/slack/forms/shown-digest.ts';
import { submitLimits } from '../../../../src/slack/listeners/limits/limits.ts';
import type { Submission } from '../../../../src/slack/listeners/submission.ts';
import { FIELDS } from '../../../../src/slack/ui/ids.ts';
import { LINK_FIELD_ERRORS } from '../../../../src/slack/ui/setup/link-form-fields.ts';
import type { SlackDeps } from '../../../../src/slack/workspaces/deps.ts';
import { ADMIN } from '../../../helpers/core-people.ts';
import { createCoreWorld, runLinked } from '../../../helpers/core-world.ts';

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

test('limits and rules are saved together or not at all: not if another admin changes the rules right then', async () => {
  const { core: bot, records } = await runLinked(await createCoreWorld());
  const core = bot.forTeam('T1');
  const shownRules = { timeZone: 'UTC', whoMayOptOut: 'everyone' } as const;
  const other = { team: 'T1', by: 'U-other' };
  await records.workspaceRules.set('T1', { ...shownRules, ...other });
  const saveLimits: typeof core.links.saveLimits = async (...asked) => {
    await records.workspaceRules.set('T1', { ...shownRules, ...other, whoMayOptOut: 'admins' });
    return core.links.saveLimits(...asked);
  };
  const deps = {
    access: { person: async () => ADMIN, again: async () => ADMIN, visitor: async () => undefined },
    core: { ...core, links: { ...core.links, saveLimits } },
  } as unknown as SlackDeps;
  const metadata = {
    channel: 'C-sales',
    to: { channel: 'C-sales', user: ADMIN.id, issuedAt: 0 },
    rules: shownRules,
    digest: digestOf(NO_LIMITS),
  };
  const shown: unknown[] = [];
  const typed = (value: string) => ({ field: { type: 'plain_text_input', value } });
  const form = {
    ack: async (answer: unknown) => void shown.push(answer),
    body: { user: { id: ADMIN.id, team_id: 'T1' } },
    view: { id: 'V1', title: { text: 'Limits' }, private_metadata: writeMetadata(metadata) },
    values: { [FIELDS.timeZone]: typed('Asia/Tokyo'), [FIELDS.monthlyBudget]: typed('5') },
    metadata,
    showErrors: (errors: unknown) => shown.push(errors),
  } as unknown as Submission;
  await submitLimits(deps, form);
  expect(shown).toEqual([{ [FIELDS.approvalAbove]: LINK_FIELD_ERRORS.changed }]);
  const linked = await core.links.find('C-sales');
  expect(linked && limitsOf(linked.link)).toEqual(NO_LIMITS);
});
