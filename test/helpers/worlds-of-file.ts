import { afterAll } from 'vitest';
import { createWorld, type World, type WorldOptions } from './world.ts';

/** Returns a `createWorld` with these options. It closes its worlds after the file's last test. */
export function worldsOfFile(ofEach: WorldOptions = {}): typeof createWorld {
  const worlds: World[] = [];
  afterAll(() => Promise.all(worlds.map((world) => world.close())));
  return async (options) => {
    const world = await createWorld({ ...ofEach, ...options });
    worlds.push(world);
    return world;
  };
}
