import { afterAll } from 'vitest';
import { createWorld, type World } from './world.ts';

/** Returns a `createWorld` whose worlds are closed after the file's last test. */
export function worldsOfFile(): typeof createWorld {
  const worlds: World[] = [];
  afterAll(() => Promise.all(worlds.map((world) => world.close())));
  return async (options) => {
    const world = await createWorld(options);
    worlds.push(world);
    return world;
  };
}
