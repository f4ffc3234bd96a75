import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type Ephemeral, textOf } from 'slack-playground';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inLinkedWorld } from '../helpers/linked-worlds-of-file.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { type Replicas, startReplicas } from '../helpers/replicas.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { saveLimits } from '../helpers/world-limits.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  draft,
  eventually,
  formOf,
  link,
  press,
  receiptOf,
  timesTexted,
} from '../helpers/world-steps.ts';

/** While the bot checks the balance, whatever was pressed. */
const WAITS =
  '⏸ *We check the balance first.*\nThen the text or list goes out by itself, or you read why not.\n' +
  'If nothing has happened after a minute, press the button again.';

/** Resolves once that many messages to a person say that the bot checks the balance. */
function waitsSaid({ slack }: World, to: string, count = 1): Promise<unknown> {
  return slack.waitFor(() => slack.ephemerals(to).filter((one) => textOf(one) === WAITS).length === count);
}

/** The draft's words, once they match. */
function reads({ slack }: World, { to, ts }: Ephemeral, what: RegExp): Promise<string> {
  return slack.waitFor(() => {
    const shown = slack.ephemerals(to).find((one) => one.ts === ts);
    return shown && what.test(textOf(shown)) ? textOf(shown) : undefined;
  });
}

sideBySide('a draft from before a start', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-copy-'));
    world = await createWorld();
    await world.start();
    await link(world);
  });
  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is sent after an ordinary restart, without further words', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460842 Later');
    await world.stop();
    await world.start();
    const before = slack.ephemerals(preview.to).length;
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toContain('*Sent*');
    expect(slack.ephemerals(preview.to)).toHaveLength(before);
    expect(arrivalsAt(world, '442079460842')).toHaveLength(1);
  });

  it('is sent after a look at the balance, and its sender sees at once that it waits', async () => {
    const { service } = world;
    const preview = await draft(world, '+442079460843 Soon');
    await world.stop();
    service.addFault({ kind: 'delay', endpoint: 'balance', ms: 500, when: 'before', times: 'always' });
    await world.start();
    await press(world, preview, 'Send');
    await waitsSaid(world, preview.to);
    // If the bot is killed by now, the draft still has its buttons.
    expect(await reads(world, preview, /Soon/)).toBe(textOf(preview));
    expect(await reads(world, preview, /\*Sent\*/)).toContain('Soon');
    expect(arrivalsAt(world, '442079460843')).toHaveLength(1);
    service.clearFaults();
  });

  it('keeps its buttons if the balance can’t be read, and is sent when Send is pressed once more', async () => {
    const { service, slack } = world;
    const preview = await draft(world, '+442079460844 Again');
    await world.stop();
    service.addFault({ kind: 'server_error', endpoint: 'balance', when: 'before', times: 'always' });
    await world.start();
    await press(world, preview, 'Send');
    await slack.waitFor(
      () =>
        slack
          .ephemerals(preview.to)
          .map(textOf)
          .find((text) => text.includes('*Nothing goes out yet*')),
      60_000,
    );
    expect(await reads(world, preview, /\[Send\] \[Edit\] \[Cancel\]/)).toBe(textOf(preview));
    expect(arrivalsAt(world, '442079460844')).toEqual([]);
    service.clearFaults();
    await press(world, preview, 'Send');
    expect(await reads(world, preview, /\*Sent\*/)).toContain('Again');
    expect(arrivalsAt(world, '442079460844')).toHaveLength(1);
  });

  it('that is approved in a form, which has no button afterwards, says to try again and still waits', async () => {
    const { service, slack } = world;
    const { admin } = slack.people;
    await saveLimits(world, { 'Approval above (credits)': '0' });
    const asked = (await answerTo(world, 'send +442079460849 By form')) as Ephemeral;
    await press(world, asked, 'Ask for approval');
    const card = await slack.waitFor(() =>
      slack.history(slack.channels.sales.id).find((each) => textOf(each).includes('Approval needed')),
    );
    await world.stop();
    service.addFault({ kind: 'server_error', endpoint: 'balance', when: 'before', times: 'always' });
    await world.start();
    const approve = async () => {
      const form = await formOf(slack, await slack.click({ user: admin, message: card, text: 'Read' }));
      await slack.submitView({ user: admin, view: form, values: { Decision: 'approve' } });
      return slack.waitFor(() => {
        const now = slack.view(form.view.id);
        return now && /\*Nothing goes out yet\*|\*Approved\*/.test(textOf(now)) ? textOf(now) : undefined;
      }, 60_000);
    };
    const said = await approve();
    expect(said).toContain('*Nothing goes out yet*');
    expect(said).not.toContain('button');
    expect(arrivalsAt(world, '442079460849')).toEqual([]);
    service.clearFaults();
    expect(await approve()).toContain('*Approved*: a text, asked for by <@U0MEMBER01>');
    await eventually(() => arrivalsAt(world, '442079460849').length === 1);
    expect(await reads(world, asked, /\*Sent\*/)).toContain('By form');
    await saveLimits(world, { 'Approval above (credits)': '' });
  });

  /** Starts the bot on the data from before `sent`. Its first balance read is slower than a click. */
  async function startOnCopy(sent: () => Promise<unknown>): Promise<void> {
    const file = join(world.dataDir, 'switchboard.db');
    const copy = join(folder, 'copy.db');
    const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
    await backup(db, copy);
    db.close();
    await sent();
    await world.stop();
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    copyFileSync(copy, file);
    const slow = { kind: 'delay', endpoint: 'balance', ms: 500, when: 'before', times: 'always' } as const;
    world.service.addFault(slow);
    await world.start();
  }

  it('is not sent again from an old copy of the database, and says why', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460841 Once');
    await startOnCopy(async () => {
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toContain('*Sent*');
    });
    // Another window of Slack may still show the preview.
    await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    const said = await slack.waitFor(() =>
      slack
        .ephemerals(preview.to)
        .map(textOf)
        .find((text) => text.includes('*Expired*')),
    );
    expect(said).toMatch(
      /Switchboard may run on an old copy of its data\.\nNothing was sent to \+44 20 7946 0841.* just now\./,
    );
    expect(said).toContain('Check what arrived before you send it again');
    expect(arrivalsAt(world, '442079460841')).toHaveLength(1);
  });

  it('gets no new preview if it was edited, before its sender has read that', async () => {
    const { slack } = world;
    world.service.clearFaults();
    const preview = await draft(world, '+442079460839 Once');
    const form = await formOf(slack, await slack.click({ user: preview.to, message: preview, text: 'Edit' }));
    await startOnCopy(async () => {
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toContain('*Sent*');
    });
    await slack.submitView({ user: preview.to, view: form, values: { Message: 'Once more' } });
    const said = await slack.waitFor(() =>
      slack
        .ephemerals(preview.to)
        .map(textOf)
        .find((text) => text.includes('Once more')),
    );
    expect(said).toMatch(/an old copy of its data\.\nNothing was sent to \+44 20 7946 0839.* just now\./);
    expect(said).not.toContain('[Send]');
  });
});

inLinkedWorld('an edited list whose old copy has expired', {}, (worldOf) => {
  it('gets no preview before its sender has read that it may have been sent', async () => {
    const world = worldOf();
    const { slack } = world;
    const file = join(world.dataDir, 'switchboard.db');
    const copy = join(world.dataDir, 'copy.db');
    const preview = await draftBulk(world, { recipients: '+442079460861\n+442079460862', message: 'Once' });
    const user = slack.people.member;
    const form = await formOf(slack, await slack.click({ user, message: preview, text: 'Edit' }));
    const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
    await backup(db, copy);
    db.close();
    await confirmBulk(world, preview);
    await cardSaying(world, /\*Finished\*/);
    await world.stop();
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    copyFileSync(copy, file);
    await world.start();
    await eventually(() => world.output().includes('the balance is lower than the books'));
    await ask(world, 'balance');

    const before = slack.ephemerals(user.id).length;
    await slack.submitView({ user, view: form, values: { Message: 'Once more' } });
    const said = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && /\*Expired\*/.test(textOf(now)) ? textOf(now) : undefined;
    });
    expect(said).toMatch(/an old copy of its data\.\nNothing was sent to these 2 recipients just now\./);
    expect(said).toContain('Check what arrived before you send it again.');
    expect(said).toContain('+442079460862');
    expect(said).toContain('Once more');
    expect(slack.ephemerals(user.id)).toHaveLength(before);
    // Somebody who has read that may go on.
    await slack.submitView({ user, view: slack.view(form.view.id) as typeof form, values: {} });
    await slack.waitFor(() => slack.ephemerals(user.id).some((one) => textOf(one).includes('Once more')));
    expect([...timesTexted(world).values()]).toEqual([1, 1]);
  });
});

sideBySide(
  'a draft that was shown before a reconnect of the store',
  () => {
    let world: World;
    let redis: RedisServer;
    let bots: Replicas;
    beforeAll(async () => {
      redis = await startRedis();
      world = await createWorld({ env: { SMS_TIMEOUT_MS: '3000', SMS_ATTEMPT_LEASE_MS: '4000' } });
      bots = await startReplicas(world, 1, { REDIS_URL: redis.url });
      await link(world);
    });
    afterAll(async () => {
      await bots.close();
      await world.close();
      await redis.close();
    });

    /** The bot reconnects to the store, and has not compared its books with the balance yet. */
    async function reconnect(): Promise<void> {
      await redis.restart();
      for (let said = ''; !/\d credits/.test(said); ) said = await ask(world, 'balance');
    }

    it('a text and a list say at once that they wait, and go out by themselves', async () => {
      const text = await draft(world, '+442079460845 Soon');
      const list = await draftBulk(world, {
        recipients: '+442079460846\n+442079460847',
        message: 'Soon, too',
      });
      await reconnect();
      await confirmBulk(world, list);
      await press(world, text, 'Send');
      expect(list.to).toBe(text.to);
      await waitsSaid(world, text.to, 2);
      expect(await reads(world, list, /./)).toBe(textOf(list));
      expect(await reads(world, text, /./)).toBe(textOf(text));
      expect(await reads(world, text, /\*Sent\*/)).toContain('Soon');
      await cardSaying(world, /\*Finished\*/);
      expect([...timesTexted(world).values()]).toEqual([1, 1, 1]);
    });

    it('a text that is edited says at once that it waits, and its new preview comes by itself', async () => {
      const { slack } = world;
      const preview = await draft(world, '+442079460838 First');
      const user = slack.people.member;
      const form = await formOf(slack, await slack.click({ user, message: preview, text: 'Edit' }));
      await reconnect();
      await slack.submitView({ user, view: form, values: { Message: 'Second' } });
      await slack.waitFor(() =>
        slack.ephemerals(preview.to).some((one) => textOf(one).includes('Then the new preview comes')),
      );
      expect(await reads(world, preview, /./)).toBe(textOf(preview));
      expect(await reads(world, preview, /Second/)).toContain('[Send]');
    }, 60_000);

    it('a text that somebody approves waits, too', async () => {
      const { slack } = world;
      const { admin } = slack.people;
      await saveLimits(world, { 'Approval above (credits)': '0' });
      const asked = (await answerTo(world, 'send +442079460848 Please')) as Ephemeral;
      await press(world, asked, 'Ask for approval');
      const card = await slack.waitFor(() =>
        slack.history(slack.channels.sales.id).find((each) => textOf(each).includes('Approval needed')),
      );
      await reconnect();
      await slack.click({ user: admin, message: card, text: 'Approve and send' });
      const says = (words: RegExp) =>
        slack.waitFor(() =>
          slack
            .ephemerals(admin.id)
            .map(textOf)
            .find((each) => words.test(each)),
        );
      await waitsSaid(world, admin.id);
      expect(await says(/\*Approved\*/)).toContain('Sending begins now');
      expect(await reads(world, asked, /\*Sent\*/)).toContain('Please');
      expect(arrivalsAt(world, '442079460848')).toHaveLength(1);
    });
  },
  withoutRedis,
);

sideBySide(
  'a bot that starts right after Redis has lost what came last',
  () => {
    const textRequests = ({ service }: World) =>
      service.requests.filter(({ endpoint }) => endpoint === 'send');

    it('sends nothing of a list until no request of an earlier bot can be on its way', async () => {
      const redis = await startRedis();
      const world = await createWorld({
        env: { SMS_TIMEOUT_MS: '3000', SMS_ATTEMPT_LEASE_MS: '6000', LIST_UNDO_SECONDS: '2' },
      });
      const bots = await startReplicas(world, 1, { REDIS_URL: redis.url });
      try {
        await link(world);
        // The service charges at the end of the wait: until then, no balance shows the request.
        world.service.addFault({
          kind: 'delay',
          endpoint: 'texts',
          ms: 3000,
          when: 'before',
          times: 'always',
        });
        const list = await draftBulk(world, { recipients: '+442079460851\n+442079460852', message: 'Once' });
        await confirmBulk(world, list);
        await reads(world, list, /Confirmed.*: your list to 2 recipients/);
        const copy = redis.copy();
        await eventually(() => textRequests(world).length === 2);
        await bots.all[0]?.kill();
        await redis.putBack(copy);
        const later = await bots.add();
        await eventually(() => later.output().includes('the balance is lower than the books'));
        expect([...timesTexted(world).values()]).toEqual([1, 1]);
      } finally {
        await bots.close();
        await world.close();
        await redis.close();
      }
    });
  },
  withoutRedis,
);
