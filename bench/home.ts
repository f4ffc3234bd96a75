import type { World } from '../test/helpers/world.ts';
import { type Figure, inMs, median, percentile, ratioOf } from './figures.ts';
import { interleaved } from './interleaved.ts';

const VISITS = 50;

/** The time from a visit until Slack has taken the Home, with few texts in the store and with many; all of one member. */
export async function compareHomes(
  engine: string,
  { few, many }: { few: World; many: World },
): Promise<Figure[]> {
  // The first visit does not count: a bot that has just started is slower.
  for (const world of [few, many]) await visits(world, 5);
  const took = await interleaved({ few: () => visits(few, VISITS), many: () => visits(many, VISITS) });
  const compared = (what: string, of: (waits: number[]) => number, target?: { atMost: number }) =>
    ratioOf(`${engine}: ${what}`, {
      ours: took.many.map(of),
      theirs: took.few.map(of),
      shown: inMs,
      ...(target && { target }),
    });
  return [
    compared('Home published', median),
    compared('Home published, p99', (waits) => percentile(waits, 99), { atMost: 1.5 }),
  ];
}

/** How long each visit waited, in ms. The visits come one after the other. */
async function visits({ slack }: World, count: number): Promise<number[]> {
  const user = slack.people.member;
  const published = () => slack.calls.filter(({ method }) => method === 'views.publish').length;
  const waits: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const before = published();
    const begun = performance.now();
    await slack.openApp({ user });
    await slack.waitFor(() => published() > before);
    waits.push(performance.now() - begun);
  }
  return waits;
}
