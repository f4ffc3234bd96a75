import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sends } from '../../src/ledger/model/send-documents.ts';
import { startingWith } from '../../src/store/keys.ts';
import { editStore } from '../helpers/edit-store.ts';
import { createWorld, type World } from '../helpers/world.ts';
import {
  ask,
  BIRCH_KEY,
  draft,
  eventually,
  formOf,
  link,
  press,
  receiptOf,
  rows,
  withoutTimes,
} from '../helpers/world-steps.ts';

const DAY_MS = 86_400_000;
const NUMBER = '+44 20 7946 0958';

describe('/sms history <number>', () => {
  let world: World;

  async function text(words: string, where: Parameters<typeof draft>[2] = {}): Promise<void> {
    const preview = await draft(world, words, where);
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
  }

  /** What a member of #sales alone reads about the number, and what an admin reads. */
  async function told(number = NUMBER): Promise<[member: string, admin: string]> {
    const { admin, colleague } = world.slack.people;
    return [
      await ask(world, `history ${number}`, { user: colleague }),
      await ask(world, `history ${number}`, { user: admin }),
    ];
  }

  beforeAll(async () => {
    world = await createWorld();
    await world.start();
    const { admin } = world.slack.people;
    const { leads } = world.slack.channels;
    await link(world);
    await link(world, { channel: leads, key: BIRCH_KEY, name: 'Birch' });
    await text(`${NUMBER} Zanzibar`);
    await text('+44 20 7946 0959 Other');
    await text(`${NUMBER} Wombat`, { user: admin, channel: leads });
  });
  afterAll(() => world?.close());

  it('counts what the person may read of: members their channels, admins all', async () => {
    const [member, admin] = await told();
    expect(member).toMatch(/\+44 20 7946 0958.* · 1 message\n• .* by .*: sent/);
    expect(admin).toMatch(/ · 2 messages\n• .*: sent\n• .*: sent/);
    expect((await told('+44 20 7946 0111'))[0]).toContain('no message');
  });

  it('says what is wrong with a number, and what to write in place of other words', async () => {
    expect(await ask(world, 'history 12')).toMatch(/^⛔ .*(too short|country code)/);
    expect(await ask(world, 'history nobody')).toMatch(
      /^⛔ After `\/sms history`, write .*\/sms history \+44/s,
    );
  });

  it('guests read nothing', async () => {
    const answer = await ask(world, `history ${NUMBER}`, {
      user: world.slack.people.guest,
      channel: world.slack.channels.partners,
    });
    expect(answer).toContain('ask an admin');
    expect(withoutTimes(answer)).not.toContain('0958');
  });

  it('an admin chooses how long texts are kept: after that the words are gone, and the look-up still knows the outcome', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const command = await slack.command({ user: admin, channel: slack.channels.sales, text: 'settings' });
    const form = await formOf(slack, command);
    const wrong = await slack.submitView({
      user: admin,
      view: form,
      values: { 'Keep texts for (days)': '2' },
    });
    expect(JSON.stringify(wrong.errors)).toContain('from 3 to 90');
    await slack.submitView({ user: admin, view: form, values: { 'Keep texts for (days)': '3' } });
    await eventually(() => rows(world, "SELECT * FROM kv WHERE namespace = 'retention'").length === 1);

    const before = await told();
    await world.stop();
    await editStore(world, (view) => {
      for (const { id, value } of view.list(sends, 'kept', startingWith([]))) {
        const { endedAt = 0 } = value.record;
        view.put(sends, id, { ...value, record: { ...value.record, endedAt: endedAt - 3 * DAY_MS } });
      }
    });
    await world.start();
    await eventually(
      () => !/Zanzibar|Wombat|44207946/.test(JSON.stringify(rows(world, 'SELECT * FROM d_sends'))),
    );
    expect(await told()).toEqual(before);
  });
});
