import type { Command } from './start-command.ts';
import { createWorld } from './world.ts';
import { cardSaying, confirmBulk, draftBulk } from './world-bulk.ts';
import { link, sendText } from './world-steps.ts';

/** Lets a bot do what most tests ask of it, and ends it in order: it writes to the cache what it compiled for that. */
export async function workOnce(bot: Command): Promise<void> {
  const world = await createWorld({ bot });
  try {
    await world.start();
    await link(world);
    await sendText(world, '+447700900001 Hello');
    const file = { name: 'list.csv', bytes: 'phone,name\n+447700900002,Bo\n' };
    await confirmBulk(world, await draftBulk(world, { file, message: 'Hello {name}' }));
    await cardSaying(world, /\*Finished\*/);
    await world.stop();
  } finally {
    await world.close();
  }
}
