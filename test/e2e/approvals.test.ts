import { type Ephemeral, type Message, textOf } from 'slack-playground';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sends } from '../../src/ledger/model/send-documents.ts';
import { startingWith } from '../../src/store/keys.ts';
import { editStore } from '../helpers/edit-store.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, fileFor, submitBulk } from '../helpers/world-bulk.ts';
import { limitChannel, saveLimits } from '../helpers/world-limits.ts';
import {
  answerTo,
  arrivalsAt,
  ask,
  draft,
  eventually,
  formOf,
  link,
  loaded,
  rows,
} from '../helpers/world-steps.ts';

/** Approval by a second person from outside: a process, signed requests, a real service. */
let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { SLACK_ADMIN_IDS: 'U0ELSEWHERE' } });
  await world.start();
  await link(world);
  limitChannel(world, { approvalAbove: 0 });
});
afterAll(() => world.close());
afterEach(() => {
  expect(waitingCards().map(textOf)).toEqual([]);
  world.slack.clearFaults();
  world.service.clearFaults();
  limitChannel(world, { approvalAbove: 0 });
  expect(world.slack.failures).toEqual([]);
  expect(world.slack.warnings).toEqual([]);
});

let numbers = 0;

/** Types `/sms send …` to a new number and presses **Ask for approval**; resolves with the channel's card. */
async function askFor(
  words = 'Hello approvers',
): Promise<{ card: Message; preview: Ephemeral; digits: string }> {
  const { slack } = world;
  numbers += 1;
  const digits = `447700900${String(numbers).padStart(3, '0')}`;
  const before = new Set(slack.history(slack.channels.sales.id).map(({ ts }) => ts));
  const preview = (await answerTo(world, `send +${digits} ${words}`)) as Ephemeral;
  expect(textOf(preview)).toContain('[Ask for approval]');
  expect(textOf(preview)).not.toContain('[Send]');
  await slack.click({ user: preview.to, message: preview, text: 'Ask for approval' });
  const card = await slack.waitFor(() =>
    slack
      .history(slack.channels.sales.id)
      .find((each) => !before.has(each.ts) && textOf(each).includes('Approval needed')),
  );
  return { card, preview, digits };
}

/** The card's words, once they match. */
function saying({ ts }: { ts: string }, words: RegExp): Promise<string> {
  return world.slack.waitFor(() => {
    const now = cardNow(ts);
    return words.test(now) ? now : undefined;
  });
}

function cardNow(ts: string): string {
  const { slack } = world;
  const now = slack.history(slack.channels.sales.id).find((each) => each.ts === ts);
  return now ? textOf(now) : '';
}

/** A person's newest direct message that matches. */
function toldTo(user: { id: string }, words: RegExp): Promise<Message> {
  const { slack } = world;
  return slack.waitFor(() =>
    slack.history(slack.directMessage(user.id).id).findLast((each) => words.test(textOf(each))),
  );
}

const UNPOSTED = "SELECT id FROM outbox WHERE topic = 'approval' AND state <> 'posted'";
const SPENT = /\[(Approve|Decline|Withdraw|Read|Edit)/;

describe('a text above the limit', () => {
  it('is asked for, approved by another person, and sent; both are in receipt, details and file', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const { card, preview, digits } = await askFor();
    expect(textOf(card)).toMatch(/U0MEMBER01.*wants to send a text/s);
    expect(textOf(card)).toContain(`···${digits.slice(-4)}`);
    expect(textOf(card)).not.toContain('Hello approvers');
    expect(arrivalsAt(world, digits)).toEqual([]);
    await slack.click({ user: admin, message: card, text: 'Approve and send' });
    const over = await saying(card, /Approved/);
    expect(over).toMatch(/\*Approved\* by <@U0ADMIN001>/);
    expect(over).not.toMatch(SPENT);
    const receipt = await slack.waitFor(() => {
      const now = slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
      const text = now ? textOf(now) : '';
      return text.includes('*Sent*') ? text : undefined;
    });
    expect(receipt).toContain('Approved by <@U0ADMIN001>');
    expect(arrivalsAt(world, digits)).toHaveLength(1);
    const page = await answerTo(world, 'history');
    await slack.click({ user: member, message: page, text: 'Export CSV' });
    const [header, line] = await slack.waitFor(() => fileFor(world, member, /^history\.csv$/));
    expect(line?.[header?.indexOf('approved by') ?? -1]).toBe(admin.real_name);
  });

  it('is read by approvers only, and by who asked', async () => {
    const { slack } = world;
    const { admin, member, colleague } = slack.people;
    const { card, preview } = await askFor('Very secret words');
    const read = async (user: { id: string }) => {
      const { view } = await slack.click({ user, message: card, text: 'Read' });
      return loaded(slack, await view());
    };
    expect(textOf(await read(admin))).toContain('Very secret words');
    expect(textOf(await read(member))).toContain('Very secret words');
    const others = textOf(await read(colleague));
    expect(others).toContain('Only an admin of this workspace can decide this');
    expect(others).not.toContain('secret');
    const withdraw = await slack.click({ user: member, message: card, text: 'Withdraw' });
    const withdrawn = await withdraw.reply();
    expect(textOf(withdrawn)).toMatch(/^\*Withdrawn\*: nothing was sent to \+44 /);
    const { view } = await slack.click({ user: member, message: withdrawn, text: 'Write a text' });
    expect(textOf(await view())).toContain('Very secret words');
    const asked = slack.ephemerals(member.id).find(({ ts }) => ts === preview.ts);
    expect(asked && textOf(asked)).toMatch(/^\*Withdrawn\*: nothing was sent to \+44 /);
    expect(await saying(card, /Withdrawn/)).not.toMatch(SPENT);
  });

  it('is not sent by people who may not approve, nor by who asked, not by forged clicks either', async () => {
    const { slack } = world;
    const { member, colleague, guest } = slack.people;
    const { card, digits } = await askFor();
    for (const user of [member, colleague, guest]) {
      const click = await slack.click({ user, message: card, text: 'Approve and send', forged: true });
      expect(textOf(await click.reply())).toContain('Only an admin of this workspace can decide this');
    }
    limitChannel(world, { approvalAbove: 0, approvers: [member.id, colleague.id] });
    const own = await slack.click({ user: member, message: card, text: 'Approve and send' });
    expect(textOf(await own.reply())).toContain('You asked for this yourself');
    expect(arrivalsAt(world, digits)).toEqual([]);
    expect(cardNow(card.ts)).toContain('Approval needed');
    await slack.click({ user: colleague, message: card, text: 'Approve and send' });
    await saying(card, /\*Approved\*/);
    await eventually(() => arrivalsAt(world, digits).length === 1);
  });

  it('that was drafted before there was a limit is not sent by its Send', async () => {
    const { slack } = world;
    limitChannel(world, {});
    const preview = await draft(world, '+447700900990 Before the limit');
    limitChannel(world, { approvalAbove: 0 });
    const click = await slack.click({ user: preview.to, message: preview, text: 'Send' });
    const answer = await click.reply();
    expect(textOf(answer)).toContain('This may take 1 credit. Every text needs a second person’s approval.');
    expect(textOf(answer)).toContain('An admin can approve it.');
    expect(arrivalsAt(world, '447700900990')).toEqual([]);
    await slack.click({ user: preview.to, message: answer, text: 'Ask for approval' });
    const [waiting] = await slack.waitFor(() => {
      const found = waitingCards();
      return found.length === 1 ? found : undefined;
    });
    if (waiting) await slack.click({ user: slack.people.member, message: waiting, text: 'Withdraw' });
    if (waiting) await saying(waiting, /Withdrawn/);
  });

  it('is declined with a reason, which its author reads; Edit begins another request', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const { card, preview, digits } = await askFor('Too long a text');
    const { view } = await slack.click({ user: admin, message: card, text: 'Decline' });
    const form = await loaded(slack, await view());
    const none = await slack.submitView({ user: admin, view: form, values: { Reason: ' ' } });
    expect(none.errors).toEqual({ reason: 'Please say why. The person who asked reads it.' });
    await slack.submitView({ user: admin, view: form, values: { Reason: 'Wombat is not our word' } });
    const over = await saying(card, /Declined/);
    expect(over).not.toContain('Wombat');
    const told = await toldTo(member, /Declined/);
    expect(textOf(told)).toContain('Wombat is not our word');
    const asked = slack.ephemerals(member.id).find(({ ts }) => ts === preview.ts);
    expect(asked && textOf(asked)).toBe(textOf(told));
    const edit = await slack.click({ user: member, message: told, text: 'Edit' });
    expect(textOf(await formOf(slack, edit))).toContain('Too long a text');
    expect(arrivalsAt(world, digits)).toEqual([]);
  });

  it('is edited while it waits: the request is over, and the new draft asks for itself', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const { card, preview, digits } = await askFor('First words');
    const waiting = await slack.waitFor(() =>
      slack
        .ephemerals(member.id)
        .find((each) => each.ts === preview.ts && /Waiting for approval/.test(textOf(each))),
    );
    const { view } = await slack.click({ user: member, message: waiting, text: 'Edit' });
    await slack.submitView({
      user: member,
      view: await loaded(slack, await view()),
      values: { Message: 'Second words' },
    });
    expect(await saying(card, /Withdrawn.*to edit it/)).not.toMatch(SPENT);
    const next = await slack.waitFor(() =>
      slack
        .ephemerals(member.id)
        .findLast((each) => /Second words/.test(textOf(each)) && /\[Ask for approval\]/.test(textOf(each))),
    );
    await slack.click({ user: member, message: next, text: 'Cancel' });
    expect(arrivalsAt(world, digits)).toEqual([]);
  });

  it('goes back with the reason if the balance no longer covers it', async () => {
    const { slack, service } = world;
    const { admin, member } = slack.people;
    const { card, digits } = await askFor();
    const [account] = service.state().accounts;
    if (!account) throw new Error('the service has no account');
    const { user_id, credits } = account;
    service.setCredits(user_id, 0);
    const click = await slack.click({ user: admin, message: card, text: 'Approve and send' });
    expect(textOf(await click.reply())).toContain('The request needs 1 credit, and the account has 0.');
    expect(await saying(card, /Sent back/)).not.toMatch(SPENT);
    expect(textOf(await toldTo(member, /Sent back/))).toContain('[Edit]');
    service.setCredits(user_id, credits);
    expect(arrivalsAt(world, digits)).toEqual([]);
  });
});

/** The cards in the channel that still wait. */
function waitingCards(): Message[] {
  const { slack } = world;
  return slack.history(slack.channels.sales.id).filter((each) => textOf(each).includes('Approval needed'));
}

describe('a list above the limit', () => {
  it('is asked for with counts by country, and its card says who approved', async () => {
    const { slack } = world;
    const { member, admin } = slack.people;
    const { done } = await submitBulk(world, {
      recipients: '+447700900801, Ann\n+447700900802, Ben',
      message: 'Hello {2}',
    });
    expect(done.errors ?? {}).toEqual({});
    const preview = await slack.waitFor(() =>
      slack.ephemerals(member.id).findLast((each) => textOf(each).includes('Your list to 2 recipients')),
    );
    expect(textOf(preview)).not.toMatch(/\[Send /);
    await slack.click({ user: member, message: preview, text: 'Ask for approval' });
    const card = await slack.waitFor(() => waitingCards().at(-1));
    // A second press, made before the first one had its answer, takes nothing away.
    const twice = { user: member, message: preview, text: 'Ask for approval', forged: true };
    expect(textOf(await (await slack.click(twice)).reply())).toMatch(
      /Waiting for approval.*\[Edit\] \[Withdraw\]/s,
    );
    expect(textOf(card)).toMatch(/wants to send 2 texts from .*\+44 \(country not known\): 2/s);
    // The test removes times, since their digits may look like the numbers.
    expect(textOf(card).replaceAll(/<!date\^\d+/g, '')).not.toMatch(/Hello|9008/);
    const { view } = await slack.click({ user: admin, message: card, text: 'Read' });
    expect(textOf(await loaded(slack, await view()))).toContain('Hello Ann');
    await slack.click({ user: admin, message: card, text: 'Approve and send' });
    const asked = await slack.waitFor(() =>
      slack
        .ephemerals(member.id)
        .map((each) => (each.ts === preview.ts ? textOf(each) : ''))
        .find((text) => text.includes('*Approved* by <@U0ADMIN001>: your list')),
    );
    expect(asked).not.toMatch(/Waiting for approval|\[(Edit|Withdraw)/);
    const job = await cardSaying(world, /\*Finished\*/);
    expect(textOf(job)).toMatch(/Approved by <@U0ADMIN001> .* · asked .* by <@U0MEMBER01>/);
    expect(arrivalsAt(world, '447700900801')).toHaveLength(1);
  });
});

describe('requests as direct messages', () => {
  it('go to each approver with the words; all read how they ended', async () => {
    const { slack } = world;
    const { admin, colleague, member } = slack.people;
    limitChannel(world, { approvalAbove: 0, approvalsIn: 'direct', approvers: [admin.id, colleague.id] });
    const before = waitingCards().length;
    const preview = (await answerTo(world, 'send +447700900810 Direct words')) as Ephemeral;
    await slack.click({ user: member, message: preview, text: 'Ask for approval' });
    const toAdmin = await toldTo(admin, /Approval needed/);
    const toColleague = await toldTo(colleague, /Approval needed/);
    expect(textOf(toAdmin)).toContain('Direct words');
    expect(textOf(toColleague)).toContain('···0810');
    expect(waitingCards()).toHaveLength(before);
    await slack.click({ user: colleague, message: toColleague, text: 'Approve and send' });
    for (const user of [admin, colleague]) {
      expect(textOf(await toldTo(user, /\*Approved\* by/))).not.toMatch(/Direct words|\[Approve/);
    }
    await eventually(() => arrivalsAt(world, '447700900810').length === 1);
  });
});

describe('a request as a direct message, also to the person who asked', () => {
  it('is declined by another approver: that person gets a message of their own', async () => {
    const { slack } = world;
    const { admin, colleague } = slack.people;
    const approvers = [admin.id, colleague.id];
    limitChannel(world, { approvalAbove: 0, approvalsIn: 'direct', approvers, ownApproval: true });
    const preview = (await answerTo(world, 'send +447700900811 Mine, too', { user: admin })) as Ephemeral;
    await slack.click({ user: admin, message: preview, text: 'Ask for approval' });
    const own = await toldTo(admin, /Approval needed.*Mine, too/s);
    const toColleague = await toldTo(colleague, /Approval needed.*Mine, too/s);
    const form = await formOf(
      slack,
      await slack.click({ user: colleague, message: toColleague, text: 'Decline' }),
    );
    await slack.submitView({ user: colleague, view: form, values: { Reason: 'Not today' } });
    const told = await toldTo(admin, /Not today/);
    expect(told.ts).not.toBe(own.ts);
    const asked = () => slack.ephemerals(admin.id).find(({ ts }) => ts === preview.ts);
    await eventually(() => /Not today/.test(textOf(asked() as Ephemeral)));
    const card = () => slack.history(slack.directMessage(admin.id).id).find(({ ts }) => ts === own.ts);
    await eventually(() => /\*Declined\* by/.test(textOf(card() as Message)));
    expect(textOf(card() as Message)).not.toMatch(SPENT);
  });
});

describe('a request as a direct message, when somebody named as admin is of another workspace', () => {
  it('goes to the others', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    const digits = '447700900812';
    limitChannel(world, { approvalAbove: 0, approvalsIn: 'direct' });
    const preview = (await answerTo(world, `send +${digits} Not for everybody`)) as Ephemeral;
    await slack.click({ user: member, message: preview, text: 'Ask for approval' });
    const request = await toldTo(admin, /Approval needed[\s\S]*Not for everybody/);
    await slack.click({ user: admin, message: request, text: 'Approve and send' });
    await eventually(() => arrivalsAt(world, digits).length === 1);
    await eventually(() => rows(world, UNPOSTED).length === 0);
  });
});

describe('a request as a direct message, whose approvers are replaced', () => {
  it.each([
    ['direct', '447700900811'],
    ['channel', '447700900861'],
  ])(
    'goes to the new approver, wherever requests go now (%s); the old one’s card has no words and no buttons any more, and says how it ended',
    async (to, digits) => {
      const { slack } = world;
      const { admin, colleague, member } = slack.people;
      limitChannel(world, { approvalAbove: 0, approvalsIn: 'direct', approvers: [admin.id] });
      const preview = (await answerTo(world, `send +${digits} Somebody else decides`)) as Ephemeral;
      await slack.click({ user: member, message: preview, text: 'Ask for approval' });
      const former = await toldTo(admin, /Approval needed[\s\S]*Somebody else decides/);
      await saveLimits(world, { Approvers: [colleague.id], 'Where requests go': to });
      const request = await toldTo(colleague, /Approval needed[\s\S]*Somebody else decides/);
      const now = await toldTo(admin, /Approval needed(?![\s\S]*Somebody else decides)/);
      expect(textOf(now)).not.toMatch(SPENT);
      const late = await slack.click({
        user: admin,
        message: former,
        text: 'Approve and send',
        forged: true,
      });
      expect(textOf(await late.reply())).toMatch(/Only <@U0MEMBER02> .*can decide this/);
      expect(arrivalsAt(world, digits)).toEqual([]);
      await slack.click({ user: colleague, message: request, text: 'Approve and send' });
      await eventually(() => arrivalsAt(world, digits).length === 1);
      for (const user of [admin, colleague]) await toldTo(user, /\*Approved\* by <@U0MEMBER02>/);
    },
  );
});

describe('a request as a direct message, when some can’t approve any more', () => {
  /** Asks for approval while `left` are deactivated. A bot remembers people for minutes, so it restarts first. */
  async function askWithout(left: (keyof World['slack']['people'])[], digits: string) {
    const { slack } = world;
    const people = left.map((name) => slack.people[name]);
    for (const person of people) slack.addUser({ ...person, deleted: true });
    await world.kill();
    await world.start();
    const preview = (await answerTo(world, `send +${digits} Who is left`)) as Ephemeral;
    await slack.click({ user: slack.people.member, message: preview, text: 'Ask for approval' });
    return () => {
      for (const person of people) slack.addUser(person);
    };
  }

  it('goes to the others, and is over once one of them decides', async () => {
    const { slack } = world;
    const { admin, colleague } = slack.people;
    limitChannel(world, { approvalAbove: 0, approvalsIn: 'direct', approvers: [admin.id, colleague.id] });
    const back = await askWithout(['colleague'], '447700900850');
    try {
      const request = await toldTo(admin, /Approval needed/);
      await slack.click({ user: admin, message: request, text: 'Approve and send' });
      await eventually(() => arrivalsAt(world, '447700900850').length === 1);
      await eventually(() => rows(world, UNPOSTED).length === 0);
    } finally {
      back();
    }
  });

  it('is in the channel if none of them is left: another admin decides it there', async () => {
    const { slack } = world;
    const { owner } = slack.people;
    limitChannel(world, { approvalAbove: 0, approvalsIn: 'direct' });
    const back = await askWithout(['admin'], '447700900851');
    try {
      const card = await slack.waitFor(() => waitingCards().at(-1));
      await slack.click({ user: owner, message: card, text: 'Approve and send' });
      await eventually(() => arrivalsAt(world, '447700900851').length === 1);
      await eventually(() => rows(world, UNPOSTED).length === 0);
    } finally {
      back();
    }
  });
});

describe('a list that takes more than was approved in direct messages', () => {
  it('waits there too: an approver from outside the channel lets it go on, the other reads who did', async () => {
    const { slack, service } = world;
    const { admin, member, colleague } = slack.people;
    const outside = { ...colleague, id: 'U0CHIEF001', name: 'carla' };
    slack.addUser(outside);
    const approvers = [admin.id, outside.id];
    const limits = { approvalAbove: 0, approvalsIn: 'direct' } as const;
    limitChannel(world, { ...limits, approvers: [...approvers, colleague.id] });
    const recipients = Array.from({ length: 12 }, (_, place) => `+4477009005${10 + place}, Ann`).join('\n');
    await submitBulk(world, { recipients, message: 'Dearer {2}' });
    const preview = await slack.waitFor(() =>
      slack.ephemerals(member.id).findLast((each) => textOf(each).includes('[Ask for approval]')),
    );
    await slack.click({ user: member, message: preview, text: 'Ask for approval' });
    const request = await toldTo(outside, /Approval needed/);
    await toldTo(colleague, /Approval needed/);
    limitChannel(world, { ...limits, approvers });
    service.setSwitches({ price: { per: 'message', credits: 20 } });
    await slack.click({ user: outside, message: request, text: 'Approve and send' });
    const card = await cardSaying(world, /\*Paused\*/);
    const waits = await toldTo(outside, /\*Paused\*/);
    expect(waits.ts, 'an edit notifies nobody').not.toBe(request.ts);
    expect(textOf(waits)).toMatch(/that were approved\. \d+ texts? waits?\./);
    expect(textOf(await toldTo(admin, /\*Paused\*/))).toContain('[Resume]');
    const news = await toldTo(member, /\*Paused\*/);
    expect(textOf(news)).toMatch(
      /An approver can let the rest go on[\s\S]*\[Resume\][\s\S]*Sent from <#C0SALES001>/,
    );
    await eventually(() => rows(world, UNPOSTED).length === 0);
    const former = slack.history(slack.directMessage(colleague.id).id).at(-1);
    expect(former && textOf(former)).toMatch(/^✅ \*Approved\* by <@U0CHIEF001>/);
    expect(former && textOf(former)).not.toMatch(/\[/);

    const ask = async (user: { id: string }, message: Message) => {
      await slack.click({ user, message, text: 'Resume' });
      return slack.waitFor(() =>
        slack.ephemerals(user.id).find((each) => textOf(each).includes('it needs approval')),
      );
    };
    const [own, others] = [await ask(outside, waits), await ask(admin, card)];
    const label = /Approve up to [\d,]+ credits/.exec(textOf(own))?.[0] ?? '';
    await slack.click({ user: outside, message: own, text: label });
    const late = await slack.click({ user: admin, message: others, text: label });
    const approved = `<@${outside.id}> ${label.replace('Approve', 'approved')}`;
    expect(textOf(await late.reply())).toContain(`${approved}.`);
    await cardSaying(world, /\*Finished\*/);
    for (const user of approvers) {
      const told = textOf(await toldTo({ id: user }, /approved up to/));
      expect(told).toContain(approved);
      expect(told).not.toContain('[Resume]');
    }
    expect((await toldTo(member, /\*No longer paused\*/)).ts).toBe(news.ts);
    expect(service.messages.filter(({ text }) => text === 'Dearer Ann')).toHaveLength(12);
    service.setSwitches({ price: { per: 'message', credits: 1 } });
  });
});

describe('/sms approvals', () => {
  it('lists requests that wait for me and my own; they are read, approved and withdrawn there', async () => {
    const { slack } = world;
    const { admin, member, colleague } = slack.people;
    const first = await askFor('First in the list');
    const second = await askFor('Second in the list');
    const read = async (user: { id: string }) => {
      const list = await answerTo(world, 'approvals', { user });
      const [first] = list.blocks.flatMap(({ type, accessory, block_id }) =>
        type === 'section' && accessory ? [String(block_id)] : [],
      );
      const { view } = await slack.click({ user, message: list, text: 'Read', block_id: first ?? '' });
      return loaded(slack, await view());
    };
    expect(await ask(world, 'approvals', { user: admin })).toContain('Waiting for your approval');
    expect(await ask(world, 'approvals')).toContain('You asked for approval');
    expect(await ask(world, 'approvals', { user: colleague })).toContain('Nothing waits for your approval');
    const form = await read(admin);
    expect(textOf(form)).toContain('First in the list');
    const none = await slack.submitView({ user: admin, view: form, values: {} });
    expect(Object.keys(none.errors ?? {})).toEqual(['decision']);
    await slack.submitView({ user: admin, view: form, values: { Decision: 'approve' } });
    await eventually(() => arrivalsAt(world, first.digits).length === 1);
    const own = await read(member);
    expect(textOf(own)).toContain('Second in the list');
    await slack.submitView({ user: member, view: own, values: {} });
    expect(await saying(second.card, /Withdrawn/)).not.toMatch(SPENT);
    expect(await ask(world, 'approvals')).toContain('Nothing waits for your approval');
    expect(arrivalsAt(world, second.digits)).toEqual([]);
  });
});

describe('a Read button that outlived its request', () => {
  it('says the outcome, without the words, also to people who may decide no more', async () => {
    const { slack } = world;
    const { admin, member, colleague } = slack.people;
    limitChannel(world, { approvalAbove: 0, approvers: [admin.id, colleague.id] });
    const { card, digits } = await askFor('Words of long ago');
    const lists = new Map<string, Message | Ephemeral>();
    for (const user of [admin, member, colleague])
      lists.set(user.id, await answerTo(world, 'approvals', { user }));
    limitChannel(world, { approvalAbove: 0, approvers: [admin.id] });
    const read = async (user: { id: string }) => {
      const { view } = await slack.click({ user, message: lists.get(user.id) ?? card, text: 'Read' });
      return textOf(await loaded(slack, await view()));
    };
    expect(await read(colleague)).not.toMatch(/long ago|Approved/);
    await slack.click({ user: admin, message: card, text: 'Approve and send' });
    await eventually(() => arrivalsAt(world, digits).length === 1);
    for (const user of [admin, member, colleague]) {
      const words = await read(user);
      expect(words).toMatch(/✅ \*Approved\* by <@U0ADMIN001> <!date/);
      expect(words).not.toMatch(/long ago|\[Approve|\[Decide|Nothing was sent/);
    }
  });
});

describe('a text that can be undone', () => {
  it('waits once it is approved; its approver reads until when, and the card says that it was undone', async () => {
    const { slack } = world;
    const { admin, member } = slack.people;
    limitChannel(world, { approvalAbove: 0, undoSeconds: 60 });
    const { card, preview, digits } = await askFor('Not so fast');
    const click = await slack.click({ user: admin, message: card, text: 'Approve and send' });
    expect(textOf(await click.reply())).toMatch(/<@U0MEMBER01> has \*Undo\* until /);
    const shown = (words: RegExp) =>
      slack.waitFor(() => {
        const now = slack.ephemerals(member.id).find(({ ts }) => ts === preview.ts);
        return now && words.test(textOf(now)) ? now : undefined;
      });
    const waiting = await shown(/^⏳ \*Sending in \d+ s\*/);
    await slack.click({ user: member, message: waiting, text: 'Undo' });
    expect(textOf(await shown(/^↩️ Undone/))).toContain('[Edit]');
    expect(await saying(card, /Approved.*undone/)).toContain(
      'then undone by <@U0MEMBER01>: nothing was sent',
    );
    expect(arrivalsAt(world, digits)).toEqual([]);
  });
});

describe('when nobody else can approve', () => {
  /** Drafts a text, and asks for its approval; resolves with what the person reads. */
  async function refused(user: { id: string }, button = 'Ask for approval') {
    const { slack } = world;
    const preview = (await answerTo(world, 'send +447700900840 Alone', { user })) as Ephemeral;
    const click = await slack.click({ user, message: preview, text: button });
    const answer = await click.reply();
    const now = slack.ephemerals(user.id).find(({ ts }) => ts === preview.ts) ?? preview;
    expect(textOf(now)).toContain(`[${button}]`);
    await slack.click({ user, message: now, text: 'Cancel' });
    return answer;
  }

  it('the only admin reads so, with the way to the limits; nobody gets a request', async () => {
    const { slack } = world;
    const { owner, admin } = slack.people;
    slack.addUser({ ...owner, is_admin: false, is_owner: false, is_primary_owner: false });
    try {
      const answer = await refused(admin);
      expect(textOf(answer)).toContain(
        '*Nobody else can approve this*: you are the only admin. Nothing was sent.',
      );
      expect(textOf(answer)).toContain('name an approver or allow *Own approval*');
      const { view } = await slack.click({ user: admin, message: answer, text: 'Limits' });
      expect(textOf(await loaded(slack, await view()))).toContain('Own approval');
      limitChannel(world, { monthlyBudget: 0 });
      expect(textOf(await refused(admin))).toContain('allow *Own approval* or raise the budget');
    } finally {
      slack.addUser(owner);
    }
    expect(waitingCards()).toEqual([]);
  });

  it('since its approvers have left, or are guests: a member reads who they are, and whom to ask', async () => {
    const { slack } = world;
    const { member, colleague, guest } = slack.people;
    limitChannel(world, { approvalAbove: 0, approvers: [member.id, colleague.id, guest.id] });
    slack.addUser({ ...colleague, deleted: true });
    try {
      const answer = textOf(await refused(member));
      expect(answer).toContain(
        `approvers may approve any more (<@${colleague.id}>, <@${guest.id}>). Nothing was sent.`,
      );
      expect(answer).toContain('An admin can name another approver');
    } finally {
      slack.addUser(colleague);
    }
    expect(waitingCards()).toEqual([]);
  });

  it('the bot does not say so if Slack does not say who is an admin', async () => {
    const { slack } = world;
    const { admin, owner } = slack.people;
    slack.fault({ method: 'users.list', fault: { kind: 'refused', error: 'fatal_error' } });
    const preview = (await answerTo(world, 'send +447700900841 Who', { user: admin })) as Ephemeral;
    await slack.click({ user: admin, message: preview, text: 'Ask for approval' });
    const card = await slack.waitFor(() => waitingCards().at(-1));
    await slack.click({ user: owner, message: card, text: 'Approve and send' });
    await eventually(() => arrivalsAt(world, '447700900841').length === 1);
  });
});

describe('a team of one', () => {
  it('approves its own texts if the limits allow it', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    limitChannel(world, { approvalAbove: 0, ownApproval: true });
    const preview = (await answerTo(world, 'send +447700900820 Mine', { user: admin })) as Ephemeral;
    await slack.click({ user: admin, message: preview, text: 'Ask for approval' });
    const card = await slack.waitFor(() => waitingCards().at(-1));
    await slack.click({ user: admin, message: card, text: 'Approve and send' });
    await eventually(() => arrivalsAt(world, '447700900820').length === 1);
  });
});

describe('a bot that is killed', () => {
  it('between the request and its card posts the card at its next start, once', async () => {
    const { slack } = world;
    slack.fault({
      method: 'chat.postMessage',
      fault: { kind: 'rate_limited', retryAfter: 1 },
      count: Number.POSITIVE_INFINITY,
    });
    const before = waitingCards().length;
    const preview = (await answerTo(world, 'send +447700900830 Killed')) as Ephemeral;
    await slack.click({ user: preview.to, message: preview, text: 'Ask for approval' });
    await eventually(
      () => rows(world, "SELECT id FROM sends WHERE state = 'awaiting_approval'").length === 1,
    );
    await world.kill();
    slack.clearFaults();
    expect(waitingCards()).toHaveLength(before);
    await world.start();
    const card = await slack.waitFor(() => waitingCards().at(before));
    await slack.click({ user: slack.people.admin, message: card, text: 'Approve and send' });
    await eventually(() => arrivalsAt(world, '447700900830').length === 1);
  });

  it('and comes back after the request was over a day old: it expires, and both are told', async () => {
    const { slack } = world;
    const { card, digits } = await askFor('Yesterday');
    await eventually(() => rows(world, UNPOSTED).length === 0);
    await world.kill();
    await editStore(world, (view) => {
      const [waiting] = view.list(sends, 'awaiting', startingWith([]));
      if (!waiting) throw new Error('no request waits');
      const { record } = waiting.value;
      view.put(sends, waiting.id, { ...waiting.value, record: { ...record, expiresAt: view.now - 1 } });
    });
    await world.start();
    expect(await saying(card, /Expired/)).not.toMatch(SPENT);
    const told = await toldTo(slack.people.member, /Expired/);
    expect(textOf(told)).toContain('[Edit]');
    const late = await slack.click({
      user: slack.people.admin,
      message: card,
      text: 'Approve and send',
      forged: true,
    });
    expect(textOf(await late.reply())).toContain('Too late');
    expect(arrivalsAt(world, digits)).toEqual([]);
  });
});

describe('whoever asked', () => {
  it('and was deactivated since: the request goes back, and nothing is sent', async () => {
    const { slack } = world;
    const { card, digits } = await askFor('Farewell');
    await eventually(() => rows(world, UNPOSTED).length === 0);
    // A bot remembers people for minutes, so it must restart.
    await world.kill();
    await world.start();
    const { member } = slack.people;
    slack.addUser({ ...member, deleted: true });
    try {
      const approve = await slack.click({
        user: slack.people.admin,
        message: card,
        text: 'Approve and send',
      });
      // After a start, the bot may not have compared the balance yet.
      expect(textOf(await approve.reply())).toMatch(
        /\*Sent back\*, nothing was sent( just now)?\.\n.*has left/,
      );
      expect(await saying(card, /Sent back/)).not.toMatch(SPENT);
    } finally {
      slack.addUser(member);
    }
    expect(arrivalsAt(world, digits)).toEqual([]);
  });
});
