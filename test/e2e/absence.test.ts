import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sends } from '../../src/ledger/model/send-documents.ts';
import { startingWith } from '../../src/store/keys.ts';
import { editStore } from '../helpers/edit-store.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { eventually, link } from '../helpers/world-steps.ts';

const TWO_HOURS_MS = 7_200_000;
const RECIPIENTS = 90;

describe('a job whose bot was off for two hours', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ env: { BULK_CHUNK_SIZE: '1' } });
    await world.start();
    await link(world, { values: { 'Low-credit threshold': '0' } });
  });
  afterAll(() => world.close());

  it('waits, says since when on its card, and goes on when somebody presses Resume', async () => {
    const { service, slack } = world;
    service.addFault({ kind: 'delay', endpoint: 'send', ms: 300, when: 'before', times: 'always' });
    const lines = Array.from(
      { length: RECIPIENTS },
      (_, place) => `+4477009001${String(place).padStart(2, '0')}`,
    );
    const preview = await draftBulk(world, {
      file: { name: 'list.csv', bytes: ['phone', ...lines].join('\n') },
      message: 'Hello',
    });
    await confirmBulk(world, preview);
    await eventually(() => service.messages.length > 5);
    await world.stop();
    const sent = service.messages.length;

    // As if the bot had been stopped two hours ago.
    await editStore(world, (view) => {
      for (const { id, value } of view.list(sends, 'open', startingWith([]))) {
        const { decidedAt = 0, servedAt = 0 } = value.record;
        const ago = { decidedAt: decidedAt - TWO_HOURS_MS, servedAt: servedAt - TWO_HOURS_MS };
        view.put(sends, id, { ...value, record: { ...value.record, ...ago } });
      }
    });
    const stoppedAt = (Date.now() - TWO_HOURS_MS) / 1000;
    await world.start();
    const card = await cardSaying(world, /\*Paused\*.*\n.*This job has stood still since/);
    const [, since] = /<!date\^(\d+)/.exec(JSON.stringify(card.blocks)) ?? [];
    expect(Math.abs(Number(since) - stoppedAt)).toBeLessThan(60);
    expect(textOf(card)).toContain('[Resume]');
    await sleep(3000);
    expect(service.messages).toHaveLength(sent);

    await slack.click({ user: slack.people.member, message: card, text: 'Resume' });
    await eventually(() => service.messages.length > sent);
  });
});
