import type { Command } from './start-command.ts';
import { createWorld } from './world.ts';
import { cardSaying, confirmBulk, draftBulk } from './world-bulk.ts';
import { link, sendText } from './world-steps.ts';

/** Lets a bot do most tests' work, and stops it in order: then it writes the code that it compiled to the cache. */
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
