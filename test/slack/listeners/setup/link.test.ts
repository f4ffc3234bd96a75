import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, type Link } from '../../../../src/core/accounts/links.ts';
import { writeMetadata } from '../../../../src/slack/forms/form-data.ts';
import { linkDigest } from '../../../../src/slack/forms/shown-digest.ts';
import { submitLink } from '../../../../src/slack/listeners/setup/link.ts';
import type { Submission } from '../../../../src/slack/listeners/submission.ts';
import { FIELDS, NEW_INSTANCE } from '../../../../src/slack/ui/ids.ts';
import { LINK_FIELD_ERRORS } from '../../../../src/slack/ui/setup/link-form-fields.ts';
import type { SlackDeps } from '../../../../src/slack/workspaces/deps.ts';
import { ADMIN, ANA } from '../../../helpers/core-people.ts';

test('a channel that another admin links while the bot tests the key of a form keeps that link', async () => {
  const shown: unknown[] = [];
  const theirs = { ...DEFAULT_SETTINGS, instanceId: 'other' } as Link;
  const deps = {
    access: { person: async () => ADMIN, again: async () => ADMIN },
    conversations: { botIsMember: async () => true },
    core: {
      instances: { get: async (id: string) => ({ id, name: 'Acme' }) },
      links: {
        find: async () => undefined,
        save: async ({ isAsShown }: { isAsShown(link: Link): boolean }) =>
          isAsShown(theirs) ? expect.unreachable() : undefined,
      },
    },
  } as unknown as SlackDeps;
  const metadata = {
    channel: 'C1',
    to: { channel: 'C1', user: ADMIN.id, issuedAt: 0 },
    digest: linkDigest(undefined),
  };
  const chosen = { selected_option: { value: 'mine' } };
  const form = {
    ack: async (answer: unknown) => void shown.push(answer),
    body: { user: { id: ADMIN.id, team_id: 'T1' } },
    view: { id: 'V1', hash: 'h', title: { text: 'Link' }, private_metadata: writeMetadata(metadata) },
    values: { [FIELDS.instance]: { instance: { type: 'static_select', ...chosen } } },
    metadata,
    showErrors: (errors: unknown) => shown.push(errors),
  } as unknown as Submission;
  await submitLink(deps, form);
  expect(shown).toEqual([{ [FIELDS.instance]: LINK_FIELD_ERRORS.changed }]);
});

test.each([
  ['an admin, adds', ADMIN, 1],
  ['somebody who is no admin any more, never adds', ANA, 0],
])('for %s the fields that a form lacks', async (_who, person, changes) => {
  const changed: unknown[] = [];
  const errors: unknown[] = [];
  const deps = {
    access: { person: async () => person },
    changeView: async (view: unknown) => void changed.push(view),
  } as unknown as SlackDeps;
  const metadata = { channel: 'C1', to: { channel: 'C1', user: person.id, issuedAt: 0 } };
  const values = {
    [FIELDS.instance]: {
      instance: { type: 'static_select', selected_option: { value: NEW_INSTANCE } },
    },
  };
  const form = {
    body: { user: { id: person.id, team_id: 'T1' } },
    view: { id: 'V1', hash: 'h', state: { values } },
    values,
    metadata,
    showErrors: async (shown: unknown) => void errors.push(shown),
  } as unknown as Submission;
  await submitLink(deps, form);
  expect(errors).toEqual([{ [FIELDS.instance]: LINK_FIELD_ERRORS.noKeyFields }]);
  expect(changed).toHaveLength(changes);
});
