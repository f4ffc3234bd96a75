import { expect, it, onTestFinished } from 'vitest';
import { START_BUNDLED } from '../helpers/start-command.ts';
import { createWorld } from '../helpers/world.ts';
import { arrivalsAt, link, sendText } from '../helpers/world-steps.ts';

/** Every write to /dev/full fails, as to a log file on a full disk. */
const LOGS_TO_FULL_DISK = ['bash', '--norc', '-c', 'exec "$0" "$@" >/dev/full'] as const;

it('the log is on a full disk: the bot starts, sends, tells people, and stops', async () => {
  const world = await createWorld({ bot: [...LOGS_TO_FULL_DISK, ...START_BUNDLED] });
  onTestFinished(() => world.close());
  await world.start();
  await link(world);
  expect(await sendText(world, '+442079461601 Hello')).toMatch(/^✅ \*Sent\*/);
  expect(arrivalsAt(world, '442079461601')).toHaveLength(1);
  expect(await world.stop()).toBe(0);
});
