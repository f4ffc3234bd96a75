import { textOf } from 'slack-playground';
import { beforeAll, describe, expect, it } from 'vitest';
import { optOuts } from '../../src/ledger/opt-outs/opt-out-documents.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { editStore } from '../helpers/edit-store.ts';
import { linkedWorldsOfFile } from '../helpers/linked-worlds-of-file.ts';
import type { World } from '../helpers/world.ts';
import { confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  BIRCH_KEY,
  eventually,
  loaded,
  openModal,
  rows,
  sendText,
} from '../helpers/world-steps.ts';

const newWorld = linkedWorldsOfFile();
let world: World;
beforeAll(async () => {
  world = await newWorld();
});

describe('a link that is damaged in the database', () => {
  it('is named, with a way out; once an admin links the channel again, texts are sent', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const { sales: channel } = slack.channels;
    expect(await ask(world, 'send +442079460701 Hello')).toContain('[Send]');
    const recipients = 'phone\n+442079460703\n+442079460704';
    const preview = await draftBulk(world, { recipients, message: 'Hello' });
    const db = openDatabase(world.dataDir);
    db.sql(`UPDATE kv SET value = substr(value, 1, 40) WHERE namespace = 'links'`).run();
    db.close();

    const refused = await ask(world, 'send +442079460702 Hello');
    expect(refused).toMatch(/^⛔ \*This channel’s link is damaged in the database/);
    expect(refused).toMatch(/Please ask an admin of this workspace to type `\/sms link` in this channel/);
    const click = await confirmBulk(world, preview);
    expect(textOf(await click.reply())).toMatch(/^⛔ \*This channel’s link is damaged in the database/);
    const told = await ask(world, 'settings', { user: admin });
    expect(told).toMatch(/damaged in the database.*Link it again with `\/sms link`.*`\/sms limits`/s);
    expect(await ask(world, 'help')).toMatch(
      /link is damaged in the database.*Please ask .* to type `\/sms link`/s,
    );
    expect(await ask(world, 'help', { user: admin })).toMatch(
      /link is damaged in the database.*Link it again with `\/sms link`/s,
    );
    expect(world.output()).toContain(`links/${slack.team.id}/${channel.id} is damaged`);

    const form = await loaded(slack, await openModal(slack, { user: admin, channel, text: 'link' }));
    await slack.submitView({ user: admin, view: form, values: {} });
    await slack.waitFor(() => textOf(slack.view(form.view.id) ?? form).includes('*Linked*'));
    expect(await sendText(world, '+442079460702 Hello', { user: member })).toMatch(/^✅ \*Sent\*/);
  });
});

it('a link whose instance is damaged in the database is linked to another one', async () => {
  const own = await newWorld();
  const { slack } = own;
  const { admin, member } = slack.people;
  const { sales: channel } = slack.channels;
  const db = openDatabase(own.dataDir);
  db.sql(`UPDATE kv SET value = substr(value, 1, 40) WHERE namespace = 'instances'`).run();
  db.close();
  await expect.poll(() => ask(own, 'status')).toContain('damaged in the database');
  const form = await loaded(slack, await openModal(slack, { user: admin, channel, text: 'link' }));
  await slack.submitView({ user: admin, view: form, values: { 'API key': BIRCH_KEY } });
  await slack.waitFor(() => textOf(slack.view(form.view.id) ?? form).includes('*Linked*'));
  expect(await sendText(own, '+442079460705 Hello', { user: member })).toMatch(/^✅ \*Sent\*/);
});

describe('an opt-out that does not open', () => {
  it('is listed as damaged beside the others, in the answer and in the file, and still holds', async () => {
    const { admin } = world.slack.people;
    await ask(world, 'optout +442079460711 asked by phone');
    await ask(world, 'optout +442079460712 asked by phone');
    const [newest] = rows(world, `SELECT id FROM "d_opt-outs" ORDER BY value ->> '$.changes[0].at' DESC`);
    await editStore(world, (view) => {
      const found = view.get(optOuts, String(newest?.id));
      if (found)
        view.put(optOuts, String(newest?.id), { ...found, sealed: found.sealed?.slice(0, -9) ?? '' });
    });

    const list = await answerTo(world, 'optouts', { user: admin });
    expect(textOf(list)).toMatch(/^\*2 numbers opted out\*\n• damaged · .*“asked by phone”\n• .*0711 · /);
    await world.slack.click({ user: admin, message: list, text: 'Export CSV' });
    const file = await eventually(() => fileFor(world, admin, /^opt-outs\.csv$/));
    expect(file.map(([number]) => number)).toEqual(['phone', 'damaged', '(+44) 2079460711']);
    expect(await ask(world, 'send +442079460712 Hello')).toContain('is opted out');
    expect(await ask(world, 'optout +442079460712')).toContain('is opted out already');
    expect(arrivalsAt(world, '442079460712')).toEqual([]);
  });
});
