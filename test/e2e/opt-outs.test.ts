import { type OpenView, textOf, type User } from 'slack-playground';
import { describe, expect, it } from 'vitest';
import { SHORTCUTS } from '../../src/slack/ui/ids.ts';
import { inLinkedWorld } from '../helpers/linked-worlds-of-file.ts';
import type { World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk, fileFor, submitBulk } from '../helpers/world-bulk.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  directOf,
  draft,
  eventually,
  formOf,
  link,
  loaded,
  openModal,
  press,
  receiptOf,
  timesTexted,
} from '../helpers/world-steps.ts';

const WIDE = {
  options: { env: { SMS_RATE_LIMIT: '1000' }, sandbox: { switches: { rateLimit: 1000 } } },
};

/** A number that no other test has, in E.164. */
let taken = 0;
function fresh(): string {
  taken += 1;
  return `+4420794${String(60_000 + taken)}`;
}

const shown = (world: World, view: OpenView) => textOf(world.slack.view(view.view.id) as OpenView);

/** An admin changes the settings of #sales. */
async function settings({ slack }: World, values: Record<string, string>): Promise<void> {
  const user = slack.people.admin;
  const form = await loaded(
    slack,
    await openModal(slack, { user, channel: slack.channels.sales, text: 'settings' }),
  );
  await slack.submitView({ user, view: form, values });
}

inLinkedWorld('numbers that opt out', WIDE, (worldOf) => {
  describe('one number', () => {
    it('that is opted out gets no draft, but who opted it out and why; after opting in it is texted', async () => {
      const world = worldOf();
      const { slack } = world;
      const number = fresh();
      expect(await ask(world, `optout ${number} asked by phone`)).toContain('is opted out.');
      expect(await ask(world, `optout ${number}`)).toContain('is opted out already');
      const refused = await ask(world, `send ${number} Hello`, { user: slack.people.colleague });
      expect(refused).toContain('is opted out');
      expect(refused).toContain(`<@${slack.people.member.id}>`);
      expect(refused).toContain('“asked by phone”');
      expect(refused).not.toContain('[Send]');
      // The test types the answer's command as it is.
      const [, words = ''] = /type `\/sms (optin [^`]+)`/.exec(refused) ?? [];

      const form = await loaded(
        slack,
        await openModal(slack, {
          user: slack.people.member,
          channel: slack.channels.sales,
          text: words,
        }),
      );
      expect(textOf(form)).toContain('is opted out: by');
      const nothing = await slack.submitView({ user: slack.people.member, view: form, values: { Why: '' } });
      expect(nothing.outcome).not.toBe('updated');
      await slack.submitView({
        user: slack.people.member,
        view: form,
        values: { Why: 'They signed up again' },
      });
      expect(shown(world, form)).toContain('may be texted again');
      const preview = await draft(world, `${number} Hello`);
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
      expect(arrivalsAt(world, number.slice(1))).toHaveLength(1);
    });

    it('that is opted out between preview and Send is not texted, and the receipt says so', async () => {
      const world = worldOf();
      const number = fresh();
      const preview = await draft(world, `${number} Too late`);
      await ask(world, `optout ${number}`, { user: world.slack.people.admin });
      await press(world, preview, 'Send');
      expect(await receiptOf(world, preview)).toMatch(/^⛔ \*Not sent: opted out\*/);
      expect(arrivalsAt(world, number.slice(1))).toEqual([]);
      expect(await ask(world, 'history')).toContain('not sent: opted out');
    });

    it('that is opted out once more while somebody would allow texts again stays so, and that person reads by whom', async () => {
      const world = worldOf();
      const { slack } = world;
      const { member: user, admin, colleague } = slack.people;
      const number = fresh();
      const optIn = async (who: User) =>
        loaded(
          slack,
          await openModal(slack, { user: who, channel: slack.channels.sales, text: `optin ${number}` }),
        );
      await ask(world, `optout ${number} by mistake`);
      const older = await optIn(user);
      const newer = await optIn(colleague);
      await slack.submitView({ user: colleague, view: newer, values: { Why: 'It was a mistake' } });
      expect(shown(world, newer)).toContain('may be texted again');
      await ask(world, `optout ${number} wrote STOP`, { user: admin });
      await slack.submitView({ user, view: older, values: { Why: 'It was a mistake' } });
      expect(shown(world, older)).toMatch(/is opted out already\*: by <@U0ADMIN001>.*“wrote STOP”/s);
      expect(await ask(world, `send ${number} Hi`, { user: colleague })).toContain('is opted out');
      const again = await optIn(user);
      await slack.submitView({ user, view: again, values: { Why: 'They called' } });
      expect(shown(world, again)).toContain('may be texted again');
    });

    it('that is opted out for a long reason: the person reads that its end is not kept', async () => {
      const world = worldOf();
      const { slack } = world;
      const number = fresh();
      const long = `${'x'.repeat(199)}😀 and more`;
      const said = await ask(world, `optout ${number} ${long}`);
      expect(said).toContain('is opted out.');
      expect(said).toContain('Only the first 200 characters of the reason were kept.');
      expect(await ask(world, `optout ${fresh()} ${'y'.repeat(200)}`)).not.toContain('kept');
      // Slack itself stops somebody who types more into a form.
      const { member: user } = slack.people;
      const asked = { user, channel: slack.channels.sales, text: `optin ${number}` };
      const form = await loaded(slack, await openModal(slack, asked));
      const { errors } = await slack.submitView({ user, view: form, values: { Why: 'z'.repeat(201) } });
      expect(errors).toHaveProperty('reason');
      await slack.submitView({ user, view: form, values: { Why: 'z'.repeat(200) } });
      expect(shown(world, form)).toContain('may be texted again');
    });

    it('that cannot be read changes nothing', async () => {
      const world = worldOf();
      expect(await ask(world, 'optout')).toContain('The number is missing');
      const wordsOnly = await ask(world, 'optout they asked');
      expect(wordsOnly).toBe(
        '⛔ The phone number comes first.\nNothing was changed. Example: `/sms optout +44 20 7946 0958 asked by phone`',
      );
      expect(await ask(world, 'optout 020 7946 0958 why')).toContain('Nothing was changed');
      expect(await ask(world, 'optout +44 7')).toMatch(/^⛔ This number is too short\. Write all its digits/);
      expect(await ask(world, 'optin they asked')).toContain('The phone number comes first');
      const { slack } = world;
      const several = await answerTo(world, `optout ${fresh()}, ${fresh()}`);
      expect(textOf(several)).toContain('There is more than one phone number here.');
      const click = await slack.click({ user: slack.people.member, message: several, text: 'Import' });
      expect(textOf(await formOf(slack, click))).toContain('One per line');
      expect(await ask(world, `optin ${fresh()}, ${fresh()}`)).not.toContain('[Import]');
      const asked = { user: slack.people.member, channel: slack.channels.sales, text: `optin ${fresh()}` };
      const view = await formOf(slack, await slack.command(asked));
      expect(textOf(view)).toContain('is not opted out');
      expect(view.view.submit).toBeNull();
    });
  });

  describe('Stop texting this number', () => {
    async function use(text: string): Promise<OpenView> {
      const { slack } = worldOf();
      const user = slack.people.member;
      const on = slack.say({ user: slack.people.colleague, channel: slack.channels.sales, text });
      const used = await slack.messageShortcut({ user, message: on, callback_id: SHORTCUTS.stopTexting });
      return formOf(slack, used);
    }

    it('begins with the number of the message', async () => {
      const world = worldOf();
      const number = fresh();
      const form = await use(`Ann (${number}) wrote STOP`);
      await world.slack.submitView({
        user: world.slack.people.member,
        view: form,
        values: { Why: 'Wrote STOP' },
      });
      expect(shown(world, form)).toContain('is opted out.');
      expect(await ask(world, `send ${number} Hi`)).toContain('“Wrote STOP”');
    });

    it('asks which of several to use', async () => {
      const world = worldOf();
      const [one, other] = [fresh(), fresh()];
      const form = await use(`${one} and ${other} wrote STOP`);
      await world.slack.submitView({
        user: world.slack.people.member,
        view: form,
        values: { Number: other },
      });
      expect(shown(world, form)).toContain('is opted out.');
      expect(await ask(world, `send ${other} Hi`)).toContain('is opted out');
      await draft(world, `${one} Hi`);
    });

    it('says if there is no list', async () => {
      const view = await use('Please stop!');
      expect(textOf(view)).toContain('No phone number was found');
      expect(view.view.submit).toBeNull();
    });
  });

  describe('many at once', () => {
    async function submitImport(given: { numbers?: string; file?: { name: string; bytes: string } }) {
      const world = worldOf();
      const { slack } = world;
      const user = slack.people.member;
      const list = await answerTo(world, 'optouts');
      const click = await slack.click({ user, message: list, text: 'Import' });
      const view = await formOf(slack, click);
      if (given.file) slack.attachFile({ user, view, text: 'CSV file', ...given.file });
      const values = { ...(given.numbers && { Numbers: given.numbers }), Why: 'From our old system' };
      const done = await slack.submitView({ user, view, values });
      return { view, done };
    }

    it('are imported from a CSV file; rows without a number are named', async () => {
      const world = worldOf();
      const numbers = Array.from({ length: 1200 }, fresh);
      const csv = [
        'name,phone',
        ...numbers.map((number) => `Ana,${number}`),
        'Ben,none',
        `Ana,${numbers[0]}`,
      ].join('\n');
      const { view } = await submitImport({ file: { name: 'stop.csv', bytes: csv } });
      const words = await eventually(
        () => /1,200 numbers opted out/.test(shown(world, view)) && shown(world, view),
      );
      expect(words).toContain('2 rows skipped: 1 wrong number, 1 duplicate');
      expect(fileFor(world, world.slack.people.member, /^wrong-rows\.csv$/)?.map(([row]) => row)).toEqual([
        'row',
        '1202',
        '1203',
      ]);
      expect(await ask(world, `send ${numbers[777]} Hi`)).toContain('(import)');
      const again = await submitImport({ file: { name: 'stop.csv', bytes: csv } });
      await eventually(
        () => /0 numbers opted out[\s\S]*1,200 numbers were opted out already/.test(shown(world, again.view)),
        30_000,
      );
    });

    it('are imported from a pasted list', async () => {
      const world = worldOf();
      const numbers = [fresh(), fresh()];
      const { view } = await submitImport({ numbers: numbers.join('\n') });
      await eventually(() => shown(world, view).includes('2 numbers opted out'));
      expect(await ask(world, `send ${numbers[1]} Hi`)).toContain('“From our old system”');
    });

    it('are refused without a list or a number', async () => {
      const none = await submitImport({});
      expect(Object.values(none.done.errors ?? {}).join()).toContain('Paste a list');
      const wrong = await submitImport({ numbers: 'Ana' });
      expect(Object.values(wrong.done.errors ?? {}).join()).toContain(
        'There is no phone number in the list.',
      );
      const short = await submitImport({ numbers: '+447700' });
      expect(Object.values(short.done.errors ?? {}).join()).toContain(
        'The one row of this list cannot be imported',
      );
    });

    it('are exported for admins: full phone numbers, who, how and why', async () => {
      const world = worldOf();
      const { slack } = world;
      const list = await answerTo(world, 'optouts', { user: slack.people.admin });
      expect(textOf(list)).toMatch(/numbers opted out/);
      expect(textOf(list)).not.toMatch(/\+44/);
      await slack.click({ user: slack.people.admin, message: list, text: 'Export CSV' });
      const rows = await eventually(() => fileFor(world, slack.people.admin, /^opt-outs\.csv$/));
      expect(rows[0]?.slice(0, 1)).toEqual(['phone']);
      const total = Number(/([\d,]+) numbers opted out/.exec(textOf(list))?.[1]?.replace(',', ''));
      expect(rows).toHaveLength(total + 1);
      expect(rows.filter(([, , , how]) => how === 'import').length).toBe(1202);
      expect(rows.map((row) => row.at(-1))).toContain('Wrote STOP');
      expect(textOf(await answerTo(world, 'optouts'))).not.toContain('[Export CSV]');
    });
  });
});

inLinkedWorld('opted-out numbers and people', WIDE, (worldOf) => {
  describe('a list', () => {
    it('leaves out people who have opted out, also while it runs; its results name them with their rows', async () => {
      const world = worldOf();
      const numbers = Array.from({ length: 30 }, fresh);
      const [first = '', last = ''] = [numbers[4], numbers[29]];
      await ask(world, `optout ${first}`);
      // A short list needs one request a text, eight at a time at first.
      world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 1000, when: 'before', times: 'always' });
      const recipients = numbers.map((number) => `${number}, Ana`).join('\n');
      const preview = await draftBulk(world, { recipients, message: 'Hi {2}' });
      expect(textOf(preview)).toContain('1 left out, 1 credit saved');
      expect(textOf(preview)).toContain('[Send 29 messages]');
      const before = world.service.requests.length;
      await confirmBulk(world, preview);
      await eventually(() => world.service.requests.length > before);
      await ask(world, `optout ${last} called us`);
      expect(world.service.requests.length).toBeLessThan(before + 28);
      const card = await cardSaying(world, /Finished/);
      expect(textOf(card)).toContain('Opted out');
      const times = timesTexted(world);
      expect(numbers.map((number) => times.get(number.slice(1)) ?? 0)).toEqual(
        numbers.map((number) => (number === first || number === last ? 0 : 1)),
      );
      const rows = await eventually(() => fileFor(world, world.slack.people.member, /^results\.csv$/));
      expect(rows.filter(([, , outcome]) => outcome === 'not sent: opted out').map(([row]) => row)).toEqual([
        '5',
        '30',
      ]);
      expect(rows).toHaveLength(31);
    });

    it('of nobody else is refused', async () => {
      const world = worldOf();
      const number = fresh();
      await ask(world, `optout ${number}`);
      const { view } = await submitBulk(world, { recipients: number, message: 'Hi' });
      await eventually(() => shown(world, view).includes('is opted out, so there is nothing to send'));
    });

    it('with {optout} and no text for it is refused at the message', async () => {
      const world = worldOf();
      const { done } = await submitBulk(world, { recipients: fresh(), message: 'Hi {optout}' });
      expect(Object.values(done.errors ?? {}).join()).toContain('No text is set for {optout}');
    });
  });

  describe('who may not', () => {
    it('a guest, and somebody of another workspace, change and see nothing, not by forged clicks either', async () => {
      const world = worldOf();
      const { slack } = world;
      const { guest, outsider, admin, member } = slack.people;
      const number = fresh();
      const channel = slack.channels.partners;
      await link(world, { channel, name: 'Partners' });
      const refusal = 'you must be in a channel that you may send from';
      for (const words of [`optout ${number}`, 'optouts']) {
        const answer = await ask(world, words, { user: guest, channel });
        expect(answer).toContain(refusal);
      }
      const refused = await slack.command({ user: guest, channel, text: `optin ${number}` });
      expect(textOf(await formOf(slack, refused))).toContain(refusal);
      await ask(world, `optout ${fresh()}`);
      const list = await answerTo(world, 'optouts', { user: admin });
      const files = slack.history(slack.directMessage(outsider.id).id).length;
      for (const user of [guest, outsider, member]) {
        const exported = await slack.click({ user, message: list, text: 'Export CSV', forged: true });
        expect(textOf(await exported.reply())).toContain('Only admins');
      }
      for (const user of [guest, outsider]) {
        const click = await slack.click({ user: admin, message: list, text: 'Import' });
        const form = await formOf(slack, click);
        await slack.submitView({ user, view: form, values: { Numbers: number }, forged: true });
      }
      expect(slack.history(slack.directMessage(outsider.id).id)).toHaveLength(files);
      await draft(world, `${number} Hi`);
    });

    it('has left the channel while the form was open: nothing is changed', async () => {
      const world = worldOf();
      const { slack } = world;
      const { colleague: user, admin } = slack.people;
      const { leads: channel } = slack.channels;
      const number = fresh();
      slack.join(channel.id, user.id);
      slack.join(channel.id, admin.id);
      await link(world, { channel, name: 'Leads' });
      await ask(world, `optout ${number}`, { user: admin, channel });
      await settings(world, { 'Who can send': 'admins' });
      const form = await loaded(slack, await openModal(slack, { user, channel, text: `optin ${number}` }));
      slack.leave(channel.id, user.id);
      await slack.submitView({ user, view: form, values: { Why: 'Mine' } });
      expect(shown(world, form)).toContain('Nothing was changed');
      await settings(world, { 'Who can send': 'everyone' });
      expect(await ask(world, `send ${number} Hi`)).toContain('is opted out');
    });

    it('has lost the right while the form was open: nothing is changed', async () => {
      const world = worldOf();
      const { slack } = world;
      const user = slack.people.colleague;
      const number = fresh();
      await ask(world, `optout ${number}`);
      const form = await loaded(
        slack,
        await openModal(slack, { user, channel: slack.channels.sales, text: `optin ${number}` }),
      );
      await settings(world, { 'Who can send': 'admins' });
      await slack.submitView({ user, view: form, values: { Why: 'Mine' } });
      expect(shown(world, form)).toContain('Nothing was changed');
      await settings(world, { 'Who can send': 'everyone' });
      expect(await ask(world, `send ${number} Hi`)).toContain('is opted out');
      expect(directOf(world, user).join()).not.toContain(number);
    });
  });
});
