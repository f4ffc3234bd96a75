import { expect, test } from 'vitest';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, run, runLinked } from '../../helpers/core-world.ts';

test('what was sent is kept, however long ago that was', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world);
  const { id } = await confirmed(first.core);
  const sent = await ended(first.core, id);
  await first.stop();
  world.time.advance(10 * 365 * 86_400_000);
  const { core, tap } = await run(world);
  let recovered = false;
  tap.intercept('pendingWork', (pendingWork) => async () => {
    const found = await pendingWork();
    await tap.ledger.recover();
    recovered = true;
    return found;
  });
  await eventually(async () => expect(recovered).toBe(true));
  expect(await core.sends.view(id)).toEqual(sent);
});
