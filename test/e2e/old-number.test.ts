import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { draft, link, press, receiptOf, sendRequests } from '../helpers/world-steps.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ env: { SMS_TIMEOUT_MS: '700', SMS_ATTEMPT_LEASE_MS: '1400' } });
  await world.start();
  await link(world);
}, 60_000);

afterAll(() => world?.close());

it('an unknown text whose stored number can no longer be read is not resent: the form opens to correct it', async () => {
  const { service, slack } = world;
  service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
  const preview = await draft(world, '+44 20 7946 0958 Hello');
  await press(world, preview, 'Send');
  expect(await receiptOf(world, preview)).toContain('*Unknown');
  const unknown = await slack.waitFor(
    () =>
      slack.ephemerals(preview.to).find((one) => one.ts === preview.ts && textOf(one).includes('[Resend…]')),
    25_000,
  );
  const before = sendRequests(world).length;

  // As an older version may have kept it.
  await world.stop();
  const db = new DatabaseSync(join(world.dataDir, 'switchboard.db'));
  db.exec(`UPDATE d_sends SET value = json_set(value, '$.record.details.e164', '+44002079460958')`);
  db.close();
  await world.start();

  const click = await slack.click({ user: preview.to, message: unknown, text: 'Resend…' });
  const answer = await click.reply();
  expect(textOf(answer)).toMatch(/number of this text is not right.*0 too many/);
  expect(textOf(answer)).toContain('may get it twice');
  const opened = await slack.click({ user: preview.to, message: answer, text: 'Open the form' });
  const form = await opened.view();
  await slack.waitFor(() => {
    const now = slack.view(form.view.id);
    return now && textOf(now).includes('Message');
  });
  const shown = slack.view(form.view.id);
  expect(shown && JSON.stringify(shown)).toContain('+44002079460958');
  expect(sendRequests(world)).toHaveLength(before);
}, 60_000);
