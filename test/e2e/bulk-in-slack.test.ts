import { type Message, textOf } from 'slack-playground';
import { beforeAll, expect, it } from 'vitest';
import {
  cardIn,
  draftJob,
  filesOf,
  openListForm,
  shownTo,
  submitList,
  wrongIn,
} from '../helpers/bulk-steps.ts';
import { linkedWorldsOfFile } from '../helpers/linked-worlds-of-file.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { SHORT_WAITS, type World, type WorldOptions } from '../helpers/world.ts';
import { type BulkForm, confirmBulk, draftBulk, fileFor, submitBulk } from '../helpers/world-bulk.ts';
import {
  arrivalsAt,
  ask,
  BIRCH_KEY,
  directOf,
  eventually,
  formOf,
  historyOf,
  link,
  newInstanceForm,
  press,
  withoutTimes,
} from '../helpers/world-steps.ts';

const CSV = 'name,phone\nAna,+442079460958\nBen,+442079460959\n,+12025550123\nX,12\nAna,+442079460958\n';

/** The service refuses each text. */
const REJECTION = {
  kind: 'answer',
  endpoint: 'send',
  times: 'always',
  when: 'before',
  status: 422,
  body: JSON.stringify({ success: false, error: { code: 'VALIDATION_ERROR', message: 'No such number' } }),
} as const;

/** Lists from outside, as people send them: a process, signed requests, a real service, uploaded files. */
const LISTS: WorldOptions = {
  env: { ...SHORT_WAITS, SMS_RATE_LIMIT: '1000', BULK_CHUNK_SIZE: '2' },
  sandbox: { switches: { rateLimit: 1000 } },
};

sideBySide('the form', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('takes exactly one list, not none and not two', async () => {
    const form = await openListForm(world);
    const none = await submitList(world, form, { Message: 'Hello' });
    expect(none.errors).toEqual({ recipients: expect.stringMatching(/^Paste a list/) });
    const both = await submitList(
      world,
      form,
      { Recipients: '+442079460958', Message: 'Hello' },
      { file: { name: 'list.csv', bytes: CSV } },
    );
    expect(Object.keys(both.errors ?? {})).toEqual(['recipients', 'csv_file']);
  });

  it('says at its field what is wrong with the message or the file', async () => {
    const { slack } = world;
    const form = await openListForm(world);
    const named = await submitList(
      world,
      form,
      { Message: 'Hello {nmae}' },
      { file: { name: 'list.csv', bytes: CSV } },
    );
    expect(await wrongIn(world, form, named)).toMatch(/no column for \{nmae\}.*\{name\}/s);
    // If the check took long, no field of the form has an error any more.
    expect(Object.keys(named.errors)).toEqual(named.outcome === 'updated' ? [] : ['message']);
    slack.fault({ method: 'url_private', fault: { kind: 'refused', error: 'missing_scope' } });
    const refused = await submitList(world, form, { Message: 'Hello {name}' });
    expect(refused.errors).toEqual({ csv_file: expect.stringContaining('files:read') });
    slack.fault({ method: 'url_private', fault: { kind: 'rate_limited', retryAfter: 7 } });
    const busy = await submitList(world, form, { Message: 'Hello {name}' });
    expect(busy.errors).toEqual({ csv_file: expect.stringContaining('short pause') });
  });

  it('says what is wrong with a list that has no numbers, no message or no text in it', async () => {
    const cases: [BulkForm, RegExp][] = [
      [{ recipients: '+447700900001', message: '' }, /message|text/i],
      [{ recipients: 'hello\nworld', message: 'Hi' }, /phone/i],
      [{ file: { name: 'a.csv', bytes: 'name,city\nAna,Rome\n' }, message: 'Hi' }, /phone.*name.*city/is],
      [{ file: { name: 'a.csv', bytes: Buffer.from('PK\u0003\u0004xxxx') }, message: 'Hi' }, /CSV/],
    ];
    for (const [form, words] of cases) {
      const { view, done } = await submitBulk(world, form);
      expect(await wrongIn(world, view, done), JSON.stringify(form)).toMatch(words);
    }
  });

  it('refuses a workbook, even if Slack’s client let it through', async () => {
    const { slack } = world;
    const form = await openListForm(world);
    const user = slack.people.member;
    slack.attachFile({
      user,
      view: form,
      text: 'CSV file',
      name: 'list.xlsx',
      bytes: 'PK',
      forged: true,
    });
    const done = await submitList(world, form, { Message: 'Hello' });
    expect(done.errors).toEqual({
      csv_file: expect.stringMatching(/^list\.xlsx is a spreadsheet file.*Save it as CSV/),
    });
  });

  it('with nothing to send says why, and gives the wrong rows', async () => {
    const form = await openListForm(world);
    const done = await submitList(world, form, { Recipients: '+447700\n+442079', Message: 'Hello' });
    expect(done.errors).toEqual({
      recipients: expect.stringMatching(/^None of the 2 rows can be sent: 2 wrong numbers\. Row 1: /),
    });
    expect(filesOf(world, world.slack.people.member).at(-1)).toMatchObject({ name: 'wrong-rows.csv' });
  });

  it('asks which column holds the numbers, keeps typed values, and uses the same file', async () => {
    const { slack } = world;
    const form = await openListForm(world);
    const bytes = 'name,office,home\nAna,+442079460958,+442079460960\nBen,+442079460959,+442079460961\n';
    const asked = await submitList(
      world,
      form,
      { Message: 'Hello {name}' },
      { file: { name: 'two.csv', bytes } },
    );
    expect(asked.outcome).toBe('updated');
    const again = await slack.waitFor(() => {
      const now = slack.view(form.view.id);
      return now && textOf(now).includes('Which column has the phone numbers?') ? now : undefined;
    });
    expect(textOf(again)).toContain('We use “two.csv”, unless you paste recipients or choose another file.');
    expect(textOf(again)).toContain('Hello {name}');
    expect(again.view.private_metadata).not.toMatch(/Hello|442079/);
    const done = await submitList(world, again, { 'Which column has the phone numbers?': '2' });
    expect(done.errors).toEqual({});
    const preview = await shownTo(world, slack.people.member, 'from “two.csv”');
    expect(textOf(preview)).toContain('+44 20 7946 0960');
    expect(textOf(preview)).toContain('Hello Ana');
    await press(world, preview, 'Cancel');
  });

  it('takes another list in place of the first, and says what is missing in the same one', async () => {
    const { slack } = world;
    const form = await openListForm(world);
    const wrong = 'Customers\n123\n+442079460962, Ana';
    await submitList(world, form, { Recipients: wrong, Message: 'Hello {2}' });
    const asking = (words: string) =>
      slack.waitFor(() => {
        const now = slack.view(form.view.id);
        return now && textOf(now).includes(words) ? now : undefined;
      });
    const asked = await asking('Which column has the phone numbers?');
    await submitList(world, asked, {});
    const again = await asking('Please choose the column with the phone numbers below');
    expect(textOf(again)).toContain('Hello {2}');
    await submitList(world, again, { Recipients: '+442079460962, Ana' });
    const preview = await shownTo(world, slack.people.member, 'Hello Ana');
    expect(textOf(preview)).toContain('+44 20 7946 0962');
    await press(world, preview, 'Cancel');
  });

  it('shows a view with a count if the list is long', async () => {
    const { slack } = world;
    const form = await openListForm(world);
    const bytes = `phone,name\n${'+442079460958,Ana\n'.repeat(150_000)}`;
    const done = await submitList(
      world,
      form,
      { Message: `Hello {name} ${'x'.repeat(900)}` },
      { file: { name: 'long.csv', bytes } },
    );
    if (done.outcome === 'updated') {
      await eventually(() =>
        /Checking “long.csv”…|Nothing is sent before you press/.test(
          textOf(slack.view(form.view.id) as never),
        ),
      );
      await eventually(
        () => textOf(slack.view(form.view.id) as never).includes('Nothing is sent before you press'),
        120_000,
      );
    }
    const preview = await shownTo(world, slack.people.member, 'from “long.csv”');
    expect(textOf(preview)).toContain('*Skipped*\n149,999 of 150,000 rows\n149,999 duplicates');
    await press(world, preview, 'Cancel');
  }, 180_000);

  it('in a direct message asks for the channel', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const form = await openListForm(world, { channel: slack.directMessage(member.id) });
    expect(textOf(form)).toContain('Channel: [#');
  });

  it('says to invite the bot if it is not in the channel', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const form = await openListForm(world);
    slack.leave(slack.channels.sales.id, slack.bot.user_id);
    const done = await submitList(
      world,
      form,
      { Recipients: '+442079460958', Message: 'Hello' },
      { user: member },
    );
    slack.join(slack.channels.sales.id, slack.bot.user_id);
    expect(done.errors).toEqual({ recipients: expect.stringContaining('/invite @Switchboard') });
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('a job', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('leads from a pasted list to a preview, one decision, one card, and a results file', async () => {
    const { slack, service } = world;
    const { member } = slack.people;
    const preview = await draftBulk(world, {
      recipients: 'phone,name\n+447700900001,Ana\n+447700900002,\n+44 7700 900001,Again\n12,Nobody',
      message: 'Hello {name|there}',
    });
    const words = textOf(preview);
    for (const part of [
      '[Send 2 messages]',
      'Hello Ana',
      'Hello there',
      '≈ 2 credits',
      '1,000',
      '998',
      '4 | The same number as in row 2',
      '5 | "12" is too short',
      '+44',
    ]) {
      expect(words.toLowerCase()).toContain(part.toLowerCase());
    }
    expect(service.messages).toEqual([]);
    const wrong = fileFor(world, member, /wrong/);
    expect(wrong?.map(([row]) => row)).toEqual(['row', '4', '5']);

    await Promise.all([confirmBulk(world, preview), confirmBulk(world, preview)]);
    const card = await cardIn(world, '*Finished* · a pasted list of 2');
    expect(textOf(card)).toContain('*Sent*\n2\n');
    expect(textOf(card)).toContain('*Credits*\n2 of ');
    expect(service.messages.map(({ phone, text }) => [phone, text])).toEqual([
      ['447700900001', 'Hello Ana'],
      ['447700900002', 'Hello there'],
    ]);
    const results = await eventually(() => fileFor(world, member, /results/));
    expect(results.slice(1).map(([row, , outcome]) => [row, outcome])).toEqual([
      ['2', 'sent'],
      ['3', 'sent'],
    ]);
  });

  it('works the same from a CSV file in Windows-1252 with semicolons and each row its own text', async () => {
    const { service } = world;
    const before = service.messages.length;
    const preview = await draftBulk(world, {
      file: {
        name: 'liste.csv',
        bytes: Buffer.from(
          'Telefon;Nachricht\r\n="+447700900011";Gr\u00FC\u00DFe\r\n447700900012;"Zwei\r\nZeilen"\r\n',
          'latin1',
        ),
      },
    });
    await confirmBulk(world, preview);
    await eventually(() => service.messages.length === before + 2);
    expect(arrivalsAt(world, '447700900011')[0]?.text).toBe('Grüße');
    expect(arrivalsAt(world, '447700900012')[0]?.text).toBe('Zwei\r\nZeilen');
    await cardIn(world, '*Finished* · liste.csv');
  });

  it('leads from file to results, with one card in the channel', async () => {
    const { slack, service } = world;
    const { member } = slack.people;
    const preview = await draftJob(world, { name: 'list.csv', bytes: CSV }, 'Hello {name|there}');
    expect(filesOf(world, member).at(-1)?.text).toContain('"12"" is too short'.replace('"12', '""12'));
    await press(world, preview, 'Send 3 messages');
    const card = await cardIn(world, '*Finished* · list.csv');
    expect(textOf(card)).toContain('*Sent*\n3\n*Failed*\n0\n*Credits*\n3 of ≈ 3\n');
    expect(textOf(card)).toContain(`<@${member.id}>: \`list-results.csv\` is in your direct messages`);
    expect(withoutTimes(textOf(card))).not.toMatch(/7946|Hello|Ana/);
    const results = filesOf(world, member).at(-1);
    expect(results?.name).toBe('list-results.csv');
    const [header, ...rows] = results?.text.trimEnd().split('\r\n') ?? [];
    expect(header).toMatch(/^\uFEFF?name,phone,outcome,message id,credits,time \(.+\),reason$/);
    expect(rows.map((line) => line.split(',').slice(0, 3))).toEqual([
      ['Ana', '(+44) 2079460958', 'sent'],
      ['Ben', '(+44) 2079460959', 'sent'],
      ['', '(+1) 2025550123', 'sent'],
    ]);
    expect(service.messages.map(({ text }) => text)).toContain('Hello there');
    expect(
      slack.history(slack.channels.sales.id).filter((one) => textOf(one).includes('list.csv')),
    ).toHaveLength(1);
    await press(world, preview, 'Send 3 messages').catch(() => undefined);
    expect(await ask(world, 'status')).toContain('*Jobs*\nnone');
  });

  it('can be edited: the form comes back as it was, and a new preview replaces the old one', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const preview = await draftJob(world, { pasted: '+442079460958\n+442079460959' }, 'Helo');
    const edit = await press(world, preview, 'Edit');
    const form = await formOf(slack, edit);
    expect(textOf(form)).toContain('Recipients: [+442079460958\n+442079460959');
    await submitList(world, form, { Message: 'Hello' });
    const edited = await eventually(() => {
      const now = slack.ephemerals(member.id).find(({ ts }) => ts === preview.ts);
      return now && textOf(now).includes('Hello') ? now : undefined;
    });
    // A press on the old preview, made before the new one was there, does not take the new one away.
    const late = await slack.click({ user: member, message: preview, text: 'Send 2 messages', forged: true });
    expect(textOf(await late.reply())).toContain('this draft was edited. Nothing was sent.');
    await press(world, edited, 'Cancel');
    await shownTo(world, member, '*Cancelled*: nothing was sent to these 2 recipients.');
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('a job under way', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('waits, goes on and stops as people press, except guests, and its card says so', async () => {
    const { slack, service } = world;
    const { admin, guest, member } = slack.people;
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 700, times: 'always' });
    const many = Array.from({ length: 600 }, (_, index) => `+4477009${10_000 + index}`);
    const bytes = `phone\n${many.join('\n')}\n`;
    const preview = await draftJob(world, { name: 'many.csv', bytes }, 'Hello');
    await press(world, preview, 'Send 600 messages');
    const card = await cardIn(world, '*Sending* many.csv');
    // Texts go out all the time: no refusal may read as if the list had sent nothing.
    slack.join(slack.channels.sales.id, guest.id);
    const refused = await slack.click({ user: guest, message: card, text: 'Stop', forged: true });
    expect(textOf(await refused.reply())).toMatch(
      /^⛔ Guests cannot send texts from this channel\. Nothing was done\./,
    );
    slack.fault({ method: 'conversations.members', fault: { kind: 'server_error' }, count: 1 });
    const unheard = await slack.click({ user: admin, message: card, text: 'Stop' });
    const trouble = textOf(await unheard.reply());
    expect(trouble).toMatch(
      /did not answer as it should, so nothing was done.*A list that is under way goes on/s,
    );
    expect(trouble).not.toMatch(/nothing was sent|no credits/i);
    await slack.click({ user: member, message: card, text: 'Pause' });
    const paused = await cardIn(world, '*Paused* · many.csv');
    expect(textOf(paused)).toContain(`<@${member.id}> pressed Pause.`);
    expect(await ask(world, 'status')).toContain('*Paused* · many.csv');
    const before = service.messages.length;
    await slack.click({ user: admin, message: paused, text: 'Resume' });
    const resumed = await cardIn(world, '*Sending* many.csv');
    await eventually(() => service.messages.length > before);
    await slack.click({ user: member, message: resumed, text: 'Stop' });
    const stopped = await cardIn(world, /\*Stopped\* · many.csv.*-results\.csv/s);
    expect(directOf(world, member).join(), 'they pressed Pause themselves').not.toContain(
      '*Paused* · many.csv',
    );
    expect(textOf(stopped)).toMatch(/\*Cancelled\*\n\d+/);
    await slack.click({ user: member, message: paused, text: 'Resume', forged: true });
    await shownTo(world, member, 'This job was stopped, so nothing was changed');
    const texted = service.messages.map(({ phone }) => phone).filter((phone) => many.includes(`+${phone}`));
    expect(new Set(texted).size).toBe(texted.length);
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('the news of a job under way', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('its sender gets a direct message of each pause by somebody else, and of its end', async () => {
    const { slack, service } = world;
    const { admin, member } = slack.people;
    const direct = () => slack.history(slack.directMessage(member.id).id);
    const news = (words: string) => direct().filter((each) => textOf(each).includes(words));
    service.setCredits(1, 1000);
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 700, times: 'always' });
    const many = Array.from({ length: 500 }, (_, index) => `+4477007${10_000 + index}`);
    const preview = await draftJob(world, { name: 'told.csv', bytes: `phone\n${many.join('\n')}\n` }, 'Told');
    await press(world, preview, 'Send 500 messages');
    const card = await cardIn(world, '*Sending* told.csv');
    let first: Message | undefined;
    for (const told of [1, 2]) {
      await slack.click({ user: admin, message: card, text: 'Pause', forged: true });
      const paused = await cardIn(world, '*Paused* · told.csv');
      await eventually(() => news('*Paused* · told.csv').length === 1);
      expect(news('told.csv')).toHaveLength(told);
      first ??= structuredClone(paused);
      if (told === 2) {
        const late = await slack.click({ user: admin, message: first, text: 'Resume', forged: true });
        expect(textOf(await late.reply())).toContain('This job is paused, so nothing was changed.');
      }
      await slack.click({ user: admin, message: paused, text: 'Resume' });
      await cardIn(world, '*Sending* told.csv');
      await eventually(() => news('*No longer paused* · told.csv').length === told);
    }
    await slack.click({ user: member, message: card, text: 'Stop', forged: true });
    await cardIn(world, /\*Stopped\* · told.csv.*results\.csv/s);
  });

  it('only people in the channel resume it; its sender may pause it from elsewhere', async () => {
    const { slack, service } = world;
    const { colleague, member } = slack.people;
    const { sales } = slack.channels;
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 700, times: 'always' });
    const many = Array.from({ length: 80 }, (_, index) => `+4477009003${String(index).padStart(2, '0')}`);
    const preview = await draftJob(world, { pasted: many.join('\n') }, 'Held');
    await press(world, preview, 'Send 80 messages');
    const card = await cardIn(world, '*Sending* a pasted list of 80');
    const away = /^⛔ You are not in <#C0SALES001>, so nothing was done\.(?!.*nothing was sent)/is;
    try {
      for (const { id } of [colleague, member]) slack.leave(sales.id, id);
      for (const text of ['Pause', 'Stop']) {
        const click = await slack.click({ user: colleague, message: card, text, forged: true });
        expect(textOf(await click.reply())).toMatch(away);
      }
      await slack.click({ user: member, message: card, text: 'Pause', forged: true });
      const paused = await cardIn(world, '*Paused* · a pasted list of 80');
      const resume = await slack.click({ user: member, message: paused, text: 'Resume', forged: true });
      expect(textOf(await resume.reply())).toMatch(away);
      await slack.click({ user: member, message: paused, text: 'Stop', forged: true });
      await cardIn(world, /\*Stopped\* · a pasted list of 80.*results\.csv/s);
    } finally {
      for (const { id } of [colleague, member]) slack.join(sales.id, id);
    }
  });

  it('without credits cannot be sent before they are topped up', async () => {
    const { slack } = world;
    await link(world, { channel: slack.channels.leads, key: BIRCH_KEY, name: 'Birch' }).catch(
      () => undefined,
    );
    const { member } = slack.people;
    const numbers = ['58', '59', '60', '61'].map((end) => `+4420794609${end}`).join('\n');
    const form = await openListForm(world, { channel: slack.channels.leads });
    await submitList(world, form, { Recipients: numbers, Message: 'Hello' });
    const preview = await shownTo(world, member, 'needs ≈ 4, has 3');
    expect(textOf(preview)).not.toContain('[Send');
    await press(world, preview, 'Check again');
    await shownTo(world, member, 'needs ≈ 4, has 3');
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('what became of texts', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('is unknown, and their sender can send them again, once', async () => {
    const { slack, service } = world;
    const { member, admin } = slack.people;
    service.addFault({ kind: 'truncate', endpoint: 'send', times: 2 });
    const preview = await draftJob(world, { pasted: '+442079460958\n+442079460959' }, 'Once');
    await press(world, preview, 'Send 2 messages');
    const card = await cardIn(world, /\*Finished\* · a pasted list of 2.*\[Resend the unknown…\]/s);
    expect(textOf(card)).toContain('*Unknown');
    await slack.click({ user: admin, message: card, text: 'Resend the unknown…' });
    await shownTo(world, admin, `only <@${member.id}> can send this`);
    await slack.click({ user: member, message: card, text: 'Resend the unknown…' });
    const again = await shownTo(world, member, 'The recipients may get this twice');
    expect(textOf(again)).not.toContain('[Edit]');
    await press(world, again, 'Send 2 messages');
    await cardIn(world, /\*Finished\* · a resend of 2.*repeat unknown texts of an earlier job/s);
    await slack.click({ user: member, message: card, text: 'Resend the unknown…', forged: true });
    await shownTo(world, member, 'Somebody has sent this again already');
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('what became of other texts', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('is unknown, and anybody who may send from the channel says that they arrived', async () => {
    const { slack, service } = world;
    const { member, admin } = slack.people;
    service.addFault({ kind: 'reset', endpoint: 'send', times: 2 });
    const preview = await draftJob(world, { pasted: '+442079460962\n+442079460963' }, 'Arrived');
    await press(world, preview, 'Send 2 messages');
    const card = await cardIn(world, /\*Finished\* · a pasted list of 2.*\*Unknown\*\n2.*\[They arrived\]/s);
    expect(await ask(world, 'status')).toContain('*Unknown* · 2 texts of jobs: their cards have the buttons');
    await slack.click({ user: member, message: card, text: 'Leave them' });
    const left = await cardIn(world, `<@${member.id}> left them as they are.`);
    expect(textOf(left)).toMatch(/\[They arrived\]/);
    expect(textOf(left)).not.toContain('[Leave them]');
    expect(await ask(world, 'status')).toMatch(/\*Unknown\*\nnone/);
    await slack.click({ user: admin, message: left, text: 'They arrived' });
    const said = await cardIn(world, /\*Said to be sent\*\n2.*\*Sent\* \(said by <@U0ADMIN001>\) · 2 texts/s);
    expect(textOf(said)).not.toMatch(/\[They arrived\]|\[Resend the unknown/);
    await slack.click({ user: member, message: card, text: 'They arrived', forged: true });
    await shownTo(world, member, 'No text of this job needs a decision any more');
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('what became of refused texts', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('is rejected, and comes back in the form to be corrected', async () => {
    const { slack, service } = world;
    const { member, admin } = slack.people;
    service.addFault(REJECTION);
    const preview = await draftJob(world, { pasted: '+442079460958, Ana' }, 'Hello {2}, "dear"');
    await press(world, preview, 'Send 1 message');
    const card = await cardIn(world, /1 rejected.*\[Try the rejected again\]/s);
    service.clearFaults();
    await slack.click({ user: admin, message: card, text: 'Try the rejected again' });
    await shownTo(world, admin, `only <@${member.id}> can do this`);
    const click = await slack.click({ user: member, message: card, text: 'Try the rejected again' });
    const form = await formOf(slack, click);
    expect(textOf(form)).toContain('phone,message\n+442079460958,"Hello Ana, ""dear"""');
    await submitList(world, form, {});
    const second = await shownTo(world, member, 'Hello Ana, "dear"');
    await press(world, second, 'Cancel');
  });

  it('is rejected, and comes back as a file if the form would change its words', async () => {
    const { slack, service } = world;
    const { member } = slack.people;
    const texts = { emoji: 'Write :smile: now', custom: 'Write :our-code: now', lines: 'First\r\nSecond' };
    for (const [word, text] of Object.entries(texts)) {
      service.addFault(REJECTION);
      const bytes = `phone,message\n+442079460958,"${text}"\n`;
      const preview = await draftJob(world, { name: `${word}.csv`, bytes }, '');
      expect(textOf(preview)).toContain(text);
      await press(world, preview, 'Send 1 message');
      const card = await cardIn(
        world,
        new RegExp(`${word}\\.csv.*1 rejected.*\\[Try the rejected again\\]`, 's'),
      );
      service.clearFaults();
      const click = await slack.click({ user: member, message: card, text: 'Try the rejected again' });
      expect(textOf(await formOf(slack, click))).toContain('We sent you rejected.csv');
      expect(filesOf(world, member).at(-1)).toMatchObject({
        name: 'rejected.csv',
        text: expect.stringContaining(text),
      });
    }
  });

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

sideBySide('unlinking with jobs', () => {
  const newWorld = linkedWorldsOfFile();
  let world: World;
  beforeAll(async () => {
    world = await newWorld(LISTS);
  });

  it('stops them, or waits for them, as the admin chooses', async () => {
    const { slack, service } = world;
    const { admin, member } = slack.people;
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 700, times: 'always' });
    const many = Array.from({ length: 60 }, (_, index) => `+4477009002${String(index).padStart(2, '0')}`);
    const preview = await draftJob(world, { pasted: many.join('\n') }, 'Hello');
    await press(world, preview, 'Send 60 messages');
    await cardIn(world, '*Sending* a pasted list of 60');
    await slack.command({ user: admin, channel: slack.channels.sales, text: 'unlink' });
    const question = await shownTo(
      world,
      admin,
      '[Stop 1 job and unlink] [Unlink when it is done] [Keep it]',
    );
    await press(world, question, 'Unlink when it is done');
    await shownTo(world, admin, 'once its jobs are done');
    expect(await ask(world, 'status')).toContain('asked to unlink this channel once its jobs are done');
    const late = await slack.click({ user: admin, message: question, text: 'Keep it', forged: true });
    expect(textOf(await late.reply())).toMatch(/will be unlinked.*To keep it linked after all/s);
    const form = await openListForm(world);
    await submitList(world, form, { Recipients: '+442079460958', Message: 'Hello' });
    await eventually(() => textOf(slack.view(form.view.id) as never).includes('No new job can begin here'));
    await slack.command({ user: admin, channel: slack.channels.sales, text: 'unlink' });
    await press(world, await shownTo(world, admin, '[Stop 1 job and unlink]'), 'Stop 1 job and unlink');
    await eventually(() => historyOf(world).some((line) => line.includes('unlinked this channel')));
    await cardIn(world, /\*Stopped\* · a pasted list of 60.*results\.csv/s);
    expect(directOf(world, member).length).toBeGreaterThan(0);
    expect(await newInstanceForm(slack, admin, await linkForm())).toBeDefined();
  });

  async function linkForm() {
    const { slack } = world;
    const command = await slack.command({
      user: slack.people.admin,
      channel: slack.channels.sales,
      text: 'link',
    });
    return formOf(slack, command);
  }

  it('no number, text or file of all this is in a wrong place', () => {
    expectNothingInAWrongPlace(world);
  });
});

function expectNothingInAWrongPlace(world: World): void {
  const channel = historyOf(world).join('\n');
  for (const secret of ['7700900001', '7700 900001', 'Hello Ana', 'Grüße']) {
    expect(channel).not.toContain(secret);
    expect(world.output()).not.toContain(secret);
  }
  expect(directOf(world, world.slack.people.colleague).join()).not.toContain('results');
}
