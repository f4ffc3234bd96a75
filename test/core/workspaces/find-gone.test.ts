import { expect, test } from 'vitest';
import { createFindGone, type TokenState } from '../../../src/core/workspaces/find-gone.ts';
import { boot, createCoreWorld } from '../../helpers/core-world.ts';

/** What Slack says at one look. Without a field, Slack can't be reached. */
interface Said {
  state?: TokenState;
  /** The workspaces that an organisation's token may act in. */
  access?: string[];
}

/** An organisation's installation with two workspaces that the bot met in it. Each look gets the next answer of `says`. */
async function start(says: Said[]) {
  const { records, time, log } = await boot(await createCoreWorld());
  const installation = {
    id: 'E1',
    isOrgWide: true,
    botUserId: 'U-bot',
    sealedTokens: 'sealed',
    installedAt: 1000,
  };
  await records.installations.set('E1', installation);
  for (const team of ['T1', 'T2']) {
    await records.workspaces.set(team, {
      team,
      name: team,
      botUserId: 'U-bot',
      firstSeenAt: 1,
      enterprise: 'E1',
    });
  }
  let now: Said = {};
  const saying = <T>(word: T | undefined): T => {
    if (word === undefined) throw new Error('Slack is out of reach');
    return word;
  };
  const findGone = createFindGone({
    records,
    log,
    clock: time.clock,
    tokenStateOf: async () => saying(now.state),
    accessOf: async () => new Set(saying(now.access)),
  });
  const found: string[] = [];
  async function lookAtAll(between: () => Promise<void> = async () => undefined): Promise<string[]> {
    for (now of says) {
      const gone = await findGone(new AbortController().signal);
      found.push(...gone.map((each) => ('id' in each ? each.id : each.team)));
      await between();
    }
    return found;
  }
  return { records, installation, findGone, lookAtAll };
}

const both = ['T1', 'T2'];

test.each<[what: string, says: Said[], found: string[]]>([
  [
    'works',
    [
      { state: 'works', access: both },
      { state: 'works', access: both },
    ],
    [],
  ],
  ['is refused for another reason', [{ state: 'refused' }, { state: 'refused' }], []],
  ['is called gone once', [{ state: 'gone' }, { state: 'works', access: both }, { state: 'gone' }], []],
  ['is called gone, and Slack can’t be reached after that', [{ state: 'gone' }, {}], []],
  ['is called gone twice', [{ state: 'gone' }, { state: 'gone' }], ['E1']],
  [
    'works, and twice a workspace is none of its own any more',
    [
      { state: 'works', access: ['T2'] },
      { state: 'works', access: ['T2'] },
    ],
    ['T1'],
  ],
  [
    'works, and a workspace was none of its own once',
    [
      { state: 'works', access: ['T2'] },
      { state: 'works', access: both },
      { state: 'works', access: ['T1'] },
    ],
    [],
  ],
  [
    'works, and Slack does not say which workspaces are its own',
    [{ state: 'works', access: ['T2'] }, { state: 'works' }],
    [],
  ],
])('an installation whose token %s', async (_, says, found) => {
  const { lookAtAll } = await start(says);
  expect(await lookAtAll()).toEqual(found);
});

test('an installation that was made again between two looks is another one', async () => {
  const { records, installation, lookAtAll } = await start([{ state: 'gone' }, { state: 'gone' }]);
  const again = () => records.installations.set('E1', { ...installation, installedAt: 5000 });
  expect(await lookAtAll(again)).toEqual([]);
});

test('what is marked already is not asked about, and an aborted look finds nothing', async () => {
  const { records, installation, findGone, lookAtAll } = await start([{ state: 'gone' }, { state: 'gone' }]);
  await records.installations.set('E1', { ...installation, removedAt: 2000 });
  expect(await lookAtAll()).toEqual([]);
  expect(await findGone(AbortSignal.abort())).toEqual([]);
});
