import { afterEach, expect } from 'vitest';
import type { World, WorldOptions } from './world.ts';
import { link } from './world-steps.ts';
import { worldsOfFile } from './worlds-of-file.ts';

/**
 * Returns what makes a world whose bot runs and whose #sales is linked, closed after the file's last test. After each
 * test faults are taken back, and Slack must have found nothing wrong with what the bot sent.
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
