import { afterEach, beforeAll, expect } from 'vitest';
import { sideBySide } from './side-by-side.ts';
import type { World, WorldOptions } from './world.ts';
import { link } from './world-steps.ts';
import { worldsOfFile } from './worlds-of-file.ts';

/**
 * Returns a function that makes worlds with a running bot and a linked #sales. They close after the file's last test. After
 * each test it clears their faults, and fails if Slack found a mistake in the bot's calls.
 */
export function linkedWorldsOfFile(): (
  options?: WorldOptions,
  linked?: Parameters<typeof link>[1],
) => Promise<World> {
  const newWorld = worldsOfFile();
  const worlds: World[] = [];
  afterEach(() => {
    for (const { slack, service } of worlds) {
      slack.clearFaults();
      service.clearFaults();
      expect(slack.failures).toEqual([]);
      expect(slack.warnings).toEqual([]);
    }
  });
  return async (options, linked) => {
    const world = await newWorld(options);
    worlds.push(world);
    await world.start();
    await link(world, linked);
    return world;
  };
}

/** Declares tests that run beside the file's others, in a linked world of their own. It is there once they run. */
export function inLinkedWorld(
  title: string,
  { options, linked }: { options?: WorldOptions; linked?: Parameters<typeof link>[1] },
  declare: (world: () => World) => void,
): void {
  sideBySide(title, () => {
    const newWorld = linkedWorldsOfFile();
    let world: World;
    beforeAll(async () => {
      world = await newWorld(options, linked);
    });
    declare(() => world);
  });
}
