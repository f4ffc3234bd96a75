import { type Call, checkHome, inWords, type Ref, textOf } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shownTo } from '../helpers/bulk-steps.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { createWorld, SHORT_WAITS, type World } from '../helpers/world.ts';
import { confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  answerTo,
  arrivalsAt,
  ask,
  directOf,
  formOf,
  link,
  loaded,
  press as pressIn,
  receiptOf,
  sendText,
} from '../helpers/world-steps.ts';

/** The bot looks every ten seconds, and a busy machine is slow. */
const REFRESHED_WITHIN_MS = 40_000;
/** The bot refreshes a Home at most this often. */
const EVERY_MS = 10_000;

/** The Home tab, from outside: what each person sees, and when it changes. Slack takes every Home. */
function withHomes(title: string, declare: (homes: Homes) => void): void {
  sideBySide(title, () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld({ env: SHORT_WAITS });
      await world.start();
    });
    afterAll(() => world.close());

    const published = () => world.slack.calls.filter(({ method }) => method === 'views.publish');
    const publishedFor = (user: { id: string }) =>
      published().filter(({ args }) => (args as { user_id: string }).user_id === user.id);
    const shown = (user: { id: string }) => {
      const view = world.slack.home(user.id);
      return view ? textOf(view) : '';
    };
    declare({
      world: () => world,
      published,
      publishedFor,
      shown,
      showing: (user, words) =>
        world.slack.waitFor(() => words.test(shown(user)) && shown(user), REFRESHED_WITHIN_MS),
      async open(user) {
        const before = publishedFor(user).length;
        await world.slack.openApp({ user });
        await world.slack.waitFor(() => publishedFor(user).length > before);
        return shown(user);
      },
      press(user, text) {
        const view = world.slack.home(user.id);
        if (!view) throw new Error('there is no Home');
        return world.slack.clickInView({ user, view, text });
      },
    });

    it('Slack takes every Home that was published', () => {
      expect(published().length).toBeGreaterThan(3);
      for (const { args, result } of published()) {
        expect(checkHome((args as { view: unknown }).view).map(inWords)).toEqual([]);
        // A refresh may meet a visit: then Slack keeps the visit's Home.
        expect(['hash_conflict', undefined]).toContain((result as { error?: string }).error);
      }
    });
  });
}

/** The Homes of a world's people. */
interface Homes {
  world(): World;
  /** The calls that published a Home. */
  published(): Call[];
  publishedFor(user: { id: string }): Call[];
  /** The words of the person's Home. */
  shown(user: { id: string }): string;
  /** Resolves with the words of the person's Home, once they match. */
  showing(user: { id: string }, words: RegExp): Promise<string>;
  /** Opens the person's Home; resolves with its words. */
  open(user: { id: string }): Promise<string>;
  /** Presses a button of somebody's Home. */
  press(user: { id: string }, text: string): ReturnType<World['slack']['clickInView']>;
}

withHomes('App Home', ({ world: worldOf, published, shown, showing, open, press }) => {
  it('an admin is led through three steps, each from its button; a member reads who begins', async () => {
    const world = worldOf();
    const { slack } = world;
    const { admin, member } = slack.people;
    expect(await open(member)).toMatch(/No texts can be sent yet/);
    expect(await open(admin)).toMatch(/1\. Add a key.*2\. Link a channel.*3\. Send a test text/s);

    const key = await press(admin, 'Add a key');
    const added = await slack.submitView({
      user: admin,
      view: await formOf(slack, key),
      values: { 'Instance name': 'Acme', 'API key': ACME_KEY },
    });
    expect(added).toMatchObject({ outcome: 'updated' });
    const doneAt = Date.now();
    await showing(admin, /✅ \*1\. Add a key\* · “Acme” is there/);
    // The bot refreshed the Home at once, not at its next look.
    expect(Date.now() - doneAt).toBeLessThan(EVERY_MS / 2);

    const linking = await press(admin, 'Link a channel');
    const form = await formOf(slack, linking);
    const choose = (channel: Ref) =>
      slack.submitView({
        user: admin,
        view: form,
        values: { Channel: typeof channel === 'string' ? channel : channel.id },
      });
    expect(await choose(slack.channels.sales)).toMatchObject({ outcome: 'updated' });
    expect(textOf(await loaded(slack, form))).toMatch(/✅ \*Linked\* <#C0SALES001>/);
    await showing(admin, /Channels you can send from[\s\S]*C0SALES001>\*\s+\*1,000 credits/);
    await showing(member, /C0SALES001>\*\s+\*1,000 credits/);
    expect(shown(member)).not.toMatch(/Settings|…0001|Instances/);
    expect(shown(admin)).toMatch(/Instances and their keys[\s\S]*“Acme”.*1 channel/);
  });

  it('Write a text asks for the channel, and its text is sent', async () => {
    const world = worldOf();
    const { slack } = world;
    const { member } = slack.people;
    const clicked = await press(member, 'Write a text');
    const form = await formOf(slack, clicked);
    expect(textOf(form)).toContain('*Paid by <#C0SALES001>*');
    const values = { Recipient: '+44 20 7946 0977', Message: 'From my Home' };
    expect(await slack.submitView({ user: member, view: form, values })).toMatchObject({
      outcome: 'updated',
    });
    const preview = await shownTo(world, member, 'From my Home');
    await pressIn(world, preview, 'Send');
    await receiptOf(world, preview);
    expect(arrivalsAt(world, '442079460977')).toHaveLength(1);
    const list = await press(member, 'Text a list');
    expect(textOf(await formOf(slack, list))).toContain('*Paid by <#C0SALES001>*');
  });

  it('people of other workspaces, and those who never opened it, have none; guests see what links let them', async () => {
    const world = worldOf();
    const { slack } = world;
    const { guest, outsider } = slack.people;
    expect(await open(guest)).toMatch(/You cannot send texts yet/);
    await slack.event({
      type: 'app_home_opened',
      user: outsider.id,
      channel: 'D0OUTSIDER',
      tab: 'home',
    });
    await open(slack.people.member);
    expect(slack.home(outsider.id)).toBeUndefined();
    const opened = new Set([guest.id, slack.people.member.id, slack.people.admin.id]);
    expect(published().map(({ args }) => (args as { user_id: string }).user_id)).toSatisfy(
      (users: string[]) => users.every((user) => opened.has(user)),
    );
  });

  it('Statement comes as a direct message with charts, or with a table if Slack takes none', async () => {
    const world = worldOf();
    const { slack } = world;
    const { admin } = slack.people;
    const dm = slack.directMessage(admin.id).id;
    const blocksWith = (type: string) => () =>
      slack.history(dm).find(({ blocks }) => blocks.some((block) => block.type === type));
    await open(admin);
    await press(admin, 'Statement');
    const message = await slack.waitFor(blocksWith('data_visualization'), REFRESHED_WITHIN_MS);
    expect(textOf(message)).toMatch(/Statement/);
    expect(message.text).toMatch(/Start: Balance 1,000/);

    await slack.click({ user: admin, message, text: 'Export CSV' });
    const picture = await slack.waitFor(
      () =>
        slack
          .history(dm)
          .flatMap(({ files = [] }) => files)
          .find(({ name }) => name === 'balance.png'),
      REFRESHED_WITHIN_MS,
    );
    expect(
      Buffer.from(slack.fileBytes(picture.id) ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(picture.alt_txt).toMatch(/^Balance over time\nStart: Balance 1,000/);

    const refused = { kind: 'block_refused', type: 'data_visualization' } as const;
    slack.fault({ method: '*', fault: refused, count: Number.POSITIVE_INFINITY });
    await press(admin, 'Statement');
    const table = await slack.waitFor(blocksWith('data_table'), REFRESHED_WITHIN_MS);
    expect(table.text).toBe(message.text);
  });

  it('a key that nobody can use has Replace key in the place of Statement', async () => {
    const world = worldOf();
    const { slack, service } = world;
    const { admin } = slack.people;
    service.addFault({ kind: 'key_revoked', endpoint: 'balance', times: 'always' });
    await ask(world, 'balance', { user: admin });
    expect(await open(admin)).toMatch(/refused by the service[\s\S]*\[Replace key\]/);
    expect(shown(admin)).not.toContain('[Statement]');
    const form = await formOf(slack, await press(admin, 'Replace key'));
    service.clearFaults();
    await slack.submitView({ user: admin, view: form, values: { 'API key': ACME_KEY } });
    await showing(admin, /\[Statement\]/);
  });

  it('a button of a Home does nothing for a person who is no admin any more', async () => {
    const world = worldOf();
    const { slack } = world;
    const { member, admin } = slack.people;
    const view = slack.home(admin.id);
    if (!view) throw new Error('there is no Home');
    const forged = { user: member, view: { user: admin.id, view, errors: {} }, forged: true };
    const before = slack.views(member.id).length;
    const settings = view.blocks.find((block) => textOf({ blocks: [block] } as never).includes('[Settings]'));
    await slack.clickInView({ ...forged, text: 'Settings', block_id: String(settings?.block_id) });
    await slack.waitFor(() => directOf(world, member).some((words) => words.includes('Only admins')));
    expect(slack.views(member.id)).toHaveLength(before);
  });
});

withHomes('App Home after an unlink', ({ world: worldOf, showing, open, press }) => {
  const unlink = async ({ slack }: World) => {
    const { admin } = slack.people;
    const question = await answerTo(worldOf(), 'unlink', { user: admin });
    await slack.click({ user: admin, message: question, text: 'Unlink: no more texts from here' });
    const now = () => slack.ephemerals(admin.id).find(({ ts }) => ts === question.ts) ?? question;
    await slack.waitFor(() => textOf(now()).includes('*Unlinked*'));
  };

  it('Settings, pressed too late, leads to a form that links a channel, not direct messages', async () => {
    const world = worldOf();
    const { slack } = world;
    const { admin } = slack.people;
    await link(world, { key: ACME_KEY, name: 'Acme' });
    await open(admin);
    const view = slack.home(admin.id);
    if (!view) throw new Error('there is no Home');
    await unlink(world);
    await slack.clickInView({ user: admin, view, text: 'Settings', forged: true });
    const direct = slack.directMessage(admin.id);
    const told = await slack.waitFor(() =>
      slack.history(direct.id).find((one) => textOf(one).includes('[Link a channel]')),
    );
    expect(textOf(told)).toContain('<#C0SALES001> is not linked yet, so no texts can be sent from there.');
    expect(textOf(told)).not.toMatch(/this channel|\bhere\b/i);
    const form = await formOf(
      slack,
      await slack.click({ user: admin, message: told, text: 'Link a channel' }),
    );
    expect(textOf(form)).not.toContain(direct.id);
    expect(textOf(form)).toContain('Channel:');
  });

  it('has Remove instance, which no settings have any more', async () => {
    const world = worldOf();
    const { slack } = world;
    const { admin, member, colleague } = slack.people;
    await link(world, { key: ACME_KEY, name: 'Acme' });
    await unlink(world);
    for (const other of [member, colleague]) expect(await open(other)).not.toContain('Remove instance');
    await open(admin);
    await showing(admin, /“Acme”.*no channel/);
    const form = await formOf(slack, await press(admin, 'Remove instance'));
    expect(textOf(form)).toContain('forgets “Acme” and its API key …0001');
    await slack.submitView({ user: admin, view: form });
    await showing(admin, /^(?!.*“Acme”).*1\. Add a key/s);
    expect((await world.runAdmin(['status'])).stdout).not.toContain('Acme');
  });
});

withHomes('App Home after sends', ({ world: worldOf, publishedFor, showing, open }) => {
  it('says what is left after a send, after any number of sends: a refresh every ten seconds at most', async () => {
    const world = worldOf();
    const { member, admin } = world.slack.people;
    await link(world);
    await open(admin);
    await open(member);
    const before = publishedFor(member).length;
    const begun = Date.now();
    for (let n = 0; n < 5; n += 1) await sendText(world, `+44207946010${n} Number ${n}`);
    await showing(member, /995 credits/);
    const most = (Date.now() - begun) / EVERY_MS + 1;
    expect(publishedFor(member).length - before).toBeLessThanOrEqual(most);
    await showing(admin, /995 credits/);
  });
});

withHomes('App Home while a job runs', ({ world: worldOf, shown, showing, open }) => {
  it('shows a job under way, and unknown texts to admins; a killed bot goes on with it', async () => {
    const world = worldOf();
    const { slack, service } = world;
    const { member, admin } = slack.people;
    await link(world);
    await open(member);
    await open(admin);
    service.addFault({ kind: 'hang', endpoint: 'texts', times: 'always' });
    const list = Array.from({ length: 12 }, (_, n) => `+4477009001${20 + n}`).join('\n');
    await confirmBulk(world, await draftBulk(world, { recipients: list, message: 'Hello' }));
    expect(await showing(member, /Jobs under way/)).toMatch(/a pasted list of 12 .* <#C0SALES001>/);
    await world.kill();
    await world.start();
    await showing(member, /⏸ \*Paused\* · a pasted list of 12/);
    expect(await showing(admin, /texts of jobs: their cards/)).toContain('Unknown texts');
    expect(shown(member)).not.toContain('Unknown texts');
    service.clearFaults();
  });
});
