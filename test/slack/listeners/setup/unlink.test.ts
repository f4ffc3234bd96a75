import { expect, test } from 'vitest';
import type { Click } from '../../../../src/slack/listeners/click.ts';
import { unlinkWhenDone } from '../../../../src/slack/listeners/setup/unlink.ts';
import { unlinkQuestion } from '../../../../src/slack/ui/setup/link-news.ts';
import type { SlackDeps } from '../../../../src/slack/workspaces/deps.ts';
import { ADMIN } from '../../../helpers/core-people.ts';

const INSTANCE = { name: 'Acme' };

test('an admin whose link somebody replaces right then is asked about the new one', async () => {
  let link = { channel: 'C1', linkedAt: 1 };
  const deps = {
    access: { again: async () => ADMIN },
    core: {
      jobs: { open: async () => [] },
      links: {
        find: async () => ({ link, instance: INSTANCE }),
        async removeWhenDone() {
          link = { channel: 'C1', linkedAt: 2 };
          return false;
        },
      },
    },
  } as unknown as SlackDeps;
  const shown: unknown[] = [];
  const replace = async (message: unknown) => void shown.push(message);
  const click = { person: ADMIN, channel: 'C1', value: '1/0', replace } as unknown as Click;
  await unlinkWhenDone(deps, click);
  const notice = 'Somebody has linked this channel again meanwhile.';
  const about = { linkedAt: 2, newestJob: 0, jobs: 0, notice };
  expect(shown).toEqual([unlinkQuestion({ channel: 'C1', instanceName: 'Acme' }, about)]);
});
