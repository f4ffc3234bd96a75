import { expect, test } from 'vitest';
import { ANA } from '../../helpers/core-people.ts';
import { drafted, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

test.each([
  { when: 'before', rounds: [['receipt'], ['line', 'receipt']] },
  { when: 'after', rounds: [['line', 'receipt'], ['receipt']] },
])(
  'a single text takes six commits, where “Sending…” is posted $when the answer',
  async ({ when, rounds }) => {
    const world = await createCoreWorld();
    if (when === 'before')
      world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 500, when: 'before' });
    const arrivals = rounds.map((topics) => ({
      topics,
      arrived: [] as string[],
      ...Promise.withResolvers<void>(),
    }));
    /** Posts of one round arrive together. */
    async function deliver({ topic }: { topic: string }) {
      const round = arrivals.find(({ topics, arrived }) => arrived.length < topics.length);
      round?.arrived.push(topic);
      if (round?.arrived.length === round?.topics.length) round?.resolve();
      await round?.promise;
      return { kind: 'posted', posted: null } as const;
    }
    const { core, ledger, stop, tap } = await runLinked(world, { deliver, link: { receiptLine: true } });
    // A later round puts the text into the look-up, with a commit of its own.
    tap.intercept('listNumbers', () => async () => false);
    world.commits.length = 0;
    const { id } = await drafted(core, { request: 'command' });
    await core.sends.confirm(id, ANA, null, { request: 'click' });
    await ended(core, id);
    await eventually(async () => expect(await ledger.nextDueAt()).toBeUndefined());
    await stop();
    expect(arrivals.map(({ arrived }) => arrived.sort())).toEqual(rounds);
    expect(world.commits).toHaveLength(6);
    expect(await core.firstTime('command')).toBe(false);
    expect(await core.firstTime('click')).toBe(false);
  },
);
