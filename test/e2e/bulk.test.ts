import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { cardOf, cardSaying, confirmBulk, draftBulk, fileFor, submitBulk } from '../helpers/world-bulk.ts';
import { arrivalsAt, ask, directOf, eventually, historyOf, link } from '../helpers/world-steps.ts';

/**
 * The whole of bulk from outside, as a person does it: a process, signed requests, a real service, files that are
 * uploaded.
 */
describe('bulk from the channel', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await world.start();
    await link(world, { values: { 'Low-credit threshold': '990' } });
  });
  afterAll(() => world.close());

  it('a pasted list becomes a preview, one decision, one card, and a results file', async () => {
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
    const card = await cardSaying(world, /\*Finished\*/);
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

  it('a CSV file works the same, in Windows-1252 with semicolons and each row its own text', async () => {
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
    await cardSaying(world, /\*Finished\*/);
  });

  it('what is wrong stands at its field, and nothing is drafted', async () => {
    const cases: [Parameters<typeof submitBulk>[1], RegExp][] = [
      [{ message: 'Hi' }, /recipients|file/i],
      [{ recipients: '+447700900001', message: '' }, /message|text/i],
      [{ recipients: 'phone,name\n+447700900001,Ana', message: 'Hi {nme}' }, /nme.*name/is],
      [{ recipients: 'hello\nworld', message: 'Hi' }, /phone/i],
      [{ file: { name: 'a.csv', bytes: 'name,city\nAna,Rome\n' }, message: 'Hi' }, /phone.*name.*city/is],
      [{ file: { name: 'a.csv', bytes: Buffer.from('PK\u0003\u0004xxxx') }, message: 'Hi' }, /CSV/],
      [
        { recipients: '+447700900001', file: { name: 'a.csv', bytes: '+447700900002' }, message: 'Hi' },
        /file|recipients/i,
      ],
    ];
    for (const [form, words] of cases) {
      const { done } = await submitBulk(world, form);
      expect(Object.values(done.errors ?? {}).join(' '), JSON.stringify(form)).toMatch(words);
    }
  });

  it('asks which column holds the numbers, keeps what was typed, and takes the answer', async () => {
    const { slack } = world;
    const user = slack.people.member;
    const { view, done } = await submitBulk(world, {
      file: { name: 'team.csv', bytes: 'who,reach them\nAna,+447700900021\nBo,+447700900022\n' },
      message: 'Hi {who}',
    });
    expect(done.errors ?? {}).toEqual({});
    const again = await slack.waitFor(() => {
      const now = slack.view(view.view.id);
      return now && /Which column/.test(textOf(now)) ? now : undefined;
    });
    expect(textOf(again)).toContain('Hi {who}');
    expect(textOf(again)).toContain('team.csv');
    const answered = await slack
      .submitView({ user, view: again, values: { 'Which column has the phone numbers?': 'reach them' } })
      .catch(() =>
        slack.submitView({ user, view: again, values: { 'Which column has the phone numbers?': '1' } }),
      );
    expect(answered.errors ?? {}).toEqual({});
    const preview = await slack.waitFor(() =>
      slack
        .ephemerals(user.id)
        .find((shown) => /\[Send 2 messages\]/.test(textOf(shown)) && /Hi Ana/.test(textOf(shown))),
    );
    expect(textOf(preview)).toContain('Hi Ana');
  });

  it('a job is paused, resumed and stopped from its card; a guest can do none of it', async () => {
    const { slack, service } = world;
    const { member, guest } = slack.people;
    service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 400, when: 'before', times: 'always' });
    const recipients = Array.from(
      { length: 150 },
      (_, place) => `+447700901${String(place).padStart(3, '0')}`,
    ).join('\n');
    const before = cardOf(world)?.ts;
    const preview = await draftBulk(world, { recipients, message: 'One moment' });
    await confirmBulk(world, preview);
    const card = await slack.waitFor(() => {
      const now = cardOf(world);
      return now && now.ts !== before ? now : undefined;
    });
    await slack.click({ user: guest, message: card, text: 'Stop', forged: true });
    expect(textOf(cardOf(world) as never)).not.toMatch(/\*Stopped\*/);
    await slack.click({ user: member, message: card, text: 'Pause' });
    const paused = await cardSaying(world, /\*Paused\*|\*Finished\*/);
    if (/\*Paused\*/.test(textOf(paused))) {
      expect(await ask(world, 'status')).toMatch(/paused/i);
      await slack.click({ user: slack.people.admin, message: paused, text: 'Resume' });
    }
    service.clearFaults();
    await cardSaying(world, /\*Finished\*/);
    const arrived = service.messages.filter(({ phone }) => phone.startsWith('447700901'));
    expect(new Set(arrived.map(({ phone }) => phone)).size).toBe(150);
    expect(arrived).toHaveLength(150);
  });

  it('every payload was valid; no number, text or key is where it does not belong', () => {
    const { slack } = world;
    expect(slack.failures).toEqual([]);
    expect(slack.warnings).toEqual([]);
    const channel = historyOf(world).join('\n');
    for (const secret of ['7700900001', '7700 900001', 'Hello Ana', 'Grüße']) {
      expect(channel).not.toContain(secret);
      expect(world.output()).not.toContain(secret);
    }
    expect(directOf(world, slack.people.colleague).join()).not.toContain('results');
  });
});
