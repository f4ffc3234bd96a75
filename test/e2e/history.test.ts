import { type Ephemeral, type Message, textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import {
  answerTo,
  ask,
  draft,
  eventually,
  formOf,
  link,
  press,
  receiptOf,
  rows,
  withoutTimes,
} from '../helpers/world-steps.ts';

let world: World;

/** The outcome of each of the 25 single texts, oldest first. */
const OUTCOMES = Array.from({ length: 25 }, (_, place) =>
  place % 5 === 3 ? 'rejected' : place === 9 ? 'unknown' : place === 12 ? 'not sent' : 'sent',
);
const numberOf = (place: number) => `+4420794608${10 + place}`;
const maskOf = (place: number) => `···08${10 + place}`;
const wholeOf = (place: number) => `+44 20 7946 08${10 + place}`;
const LIST = ['+447700900201, Ana', '+447700900202, Ben', '+447700900203, Cleo'];

beforeAll(async () => {
  world = await createWorld({ env: { BALANCE_POLL_MS: '86400000' } });
  await world.start();
  await link(world, { values: { 'Low-credit threshold': '0' } });
  for (const [place, outcome] of OUTCOMES.entries()) {
    prepare(outcome);
    const preview = await draft(world, `${numberOf(place)} Text number ${place}`);
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
  }
  const job = await draftBulk(world, { recipients: LIST.join('\n'), message: 'Hi {2}' });
  await confirmBulk(world, job);
  await eventually(
    () => rows(world, "SELECT id FROM sends WHERE kind = 'job' AND state = 'finished'").length === 1,
  );
});
afterAll(() => world.close());

/** Prepares the service's answer to the next text. */
function prepare(outcome: string): void {
  const { service } = world;
  const refusal = { success: false, error: { code: 'VALIDATION_ERROR', message: 'Not a phone.' } };
  const answer = { kind: 'answer', endpoint: 'send', when: 'before' } as const;
  if (outcome === 'rejected') service.addFault({ ...answer, status: 422, body: JSON.stringify(refusal) });
  if (outcome === 'unknown') service.addFault({ kind: 'reset', endpoint: 'send', when: 'before' });
  if (outcome === 'not sent') {
    service.addFault({ ...answer, status: 429, body: '', headers: { 'Retry-After': '1' }, times: 3 });
  }
}

interface Line {
  to: string;
  outcome: string;
}

/** The rows of a page: each recipient and outcome. */
function linesOf(message: Message | Ephemeral): Line[] {
  return textOf(message)
    .split('\n')
    .filter((line) => /^\d+ \|/.test(line))
    .map((line) => {
      const cells = line.split(' | ');
      return { to: cells.at(-3) ?? '', outcome: cells.at(-2) ?? '' };
    });
}

const JOB: Line = { to: 'a pasted list · 3 texts', outcome: '3 sent' };
/** All rows, newest first, as the sender sees them, or as others do. */
function expectedLines(shown: (place: number) => string): Line[] {
  return [JOB, ...OUTCOMES.map((outcome, place) => ({ to: shown(place), outcome })).reverse()];
}

/** Presses a button of a history; resolves with the page that replaces it. */
async function turn(page: Message | Ephemeral, user: string, text: string): Promise<Ephemeral> {
  const before = textOf(page);
  await world.slack.click({ user, message: page, text });
  return changed(page, user, before);
}

function changed({ ts }: Message | Ephemeral, user: string, before: string): Promise<Ephemeral> {
  return world.slack.waitFor(() =>
    world.slack.ephemerals(user).find((one) => one.ts === ts && textOf(one) !== before),
  );
}

/** Every page of a history, from Older to Older. */
async function everyPage(first: Message | Ephemeral, user: string): Promise<(Message | Ephemeral)[]> {
  const pages = [first];
  for (let page = first; textOf(page).includes('[Older]'); pages.push(page))
    page = await turn(page, user, 'Older');
  return pages;
}

/** Fills in the filter of a page; resolves with the filtered page. */
async function filtered(page: Message | Ephemeral, user: string, values: Record<string, string>) {
  const before = textOf(page);
  const click = await world.slack.click({ user, message: page, text: 'Filter' });
  const view = await formOf(world.slack, click);
  const done = await world.slack.submitView({ user, view, values });
  if (Object.keys(done.errors ?? {}).length > 0) throw new Error(JSON.stringify(done.errors));
  return changed(page, user, before);
}

/** The values of a page's menu, in the order of its rows. */
function valuesOf(page: Message | Ephemeral): string[] {
  const elements = (menuOf(page)?.elements ?? []) as { options?: { value: string }[] }[];
  return (elements[0]?.options ?? []).map(({ value }) => value);
}

function menuOf({ blocks }: Message | Ephemeral) {
  return blocks.find(({ elements }) =>
    ((elements ?? []) as { type: string }[]).some(({ type }) => type === 'static_select'),
  );
}

/** Chooses a row of the page's menu; resolves once the menu is empty again. */
async function detailsOf({ ts }: Message | Ephemeral, user: string, row: number): Promise<string> {
  const { slack } = world;
  const now = () => slack.ephemerals(user).find((one) => one.ts === ts);
  const page = now();
  if (!page) throw new Error('the page is not there');
  const { block_id: before } = menuOf(page) ?? {};
  const value = valuesOf(page)[row - 1] ?? '';
  const click = await slack.click({ user, message: page, action_id: 'history_details', value });
  const details = textOf(await formOf(slack, click));
  await eventually(() => menuOf(now() as Ephemeral)?.block_id !== before);
  return details;
}

describe('the history of 25 texts and a job', () => {
  it('shows the sender all of them in three pages, there and back', async () => {
    const { member } = world.slack.people;
    const pages = await everyPage(await answerTo(world, 'history'), member.id);
    expect(pages.map((page) => linesOf(page).length)).toEqual([10, 10, 6]);
    expect(pages.flatMap(linesOf)).toEqual(expectedLines(wholeOf));
    const [last] = pages.slice(-1);
    if (!last) throw new Error('there is no last page');
    const before = await turn(last, member.id, 'Newer');
    expect(linesOf(before)).toEqual(expectedLines(wholeOf).slice(10, 20));
    expect(linesOf(await turn(before, member.id, 'Newer'))).toEqual(expectedLines(wholeOf).slice(0, 10));
  });

  it('empties its menu after each choice, on each page: Slack tells of no second choice of the same row', async () => {
    const { slack } = world;
    const { member } = slack.people;
    const { ts } = await answerTo(world, 'history');
    const shown = () => slack.ephemerals(member.id).find((one) => one.ts === ts) as Ephemeral;
    for (const isSecondPage of [false, true]) {
      if (isSecondPage) await turn(shown(), member.id, 'Older');
      const page = textOf(shown());
      const [first, again] = [await detailsOf(shown(), member.id, 2), await detailsOf(shown(), member.id, 2)];
      expect(first).toContain('Text number');
      expect(again).toBe(first);
      expect(textOf(shown())).toBe(page);
    }
  });

  it('masks the numbers for others of the channel, and admins see them whole', async () => {
    const { colleague, admin } = world.slack.people;
    const masked = await answerTo(world, 'history', { user: colleague });
    expect(linesOf(masked)).toEqual(expectedLines(maskOf).slice(0, 10));
    expect(withoutTimes(JSON.stringify(masked))).not.toMatch(/7946 ?08/);
    const whole = await answerTo(world, 'history', { user: admin });
    expect(linesOf(whole)).toEqual(expectedLines(wholeOf).slice(0, 10));
  });

  it('comes as lines if Slack takes no table', async () => {
    const { slack } = world;
    slack.fault({ method: 'response_url', fault: { kind: 'refused', error: 'invalid_blocks' } });
    const shown = textOf(await answerTo(world, 'history'));
    expect(shown).toMatch(/^1\. .* · a pasted list · 3 texts · 3 sent · 3 credits$/m);
    expect(shown).toContain(`${wholeOf(24)} · sent · 1 credit`);
  });

  it('has details: text, receipt, message id, the reason of a refusal, reference', async () => {
    const { member, colleague } = world.slack.people;
    const page = await answerTo(world, 'history');
    expect(await detailsOf(page, member.id, 1)).toMatch(
      /Finished.*a pasted list of 3[\s\S]*\*Sent\*\n3[\s\S]*Hi \{2\}/,
    );
    const sent = await detailsOf(page, member.id, 2);
    expect(sent).toContain(wholeOf(24));
    expect(sent).toMatch(
      /1 credit used · \d+ left[\s\S]*\*Message id\*\n\d+[\s\S]*Text number 24[\s\S]*Reference `/,
    );
    expect(await detailsOf(page, member.id, 3)).toMatch(/rejected[\s\S]*Not a phone\./);
    const theirs = await answerTo(world, 'history', { user: colleague });
    const shown = await detailsOf(theirs, colleague.id, 3);
    expect(shown).toContain(maskOf(23));
    expect(withoutTimes(shown)).not.toMatch(/7946 ?08|Not a phone/);
  });

  it.each([
    ['an outcome', { Outcome: 'rejected' }, ['rejected'], 5],
    ['another', { Outcome: 'unknown' }, ['unknown'], 1],
    ['a number', { Number: numberOf(7) }, ['sent'], 1],
    ['a number of a job', { Number: '+44 7700 900202' }, ['3 sent'], 1],
    ['nobody', { 'Who sent it': 'U0ADMIN001' }, [], 0],
    ['a day without texts', { From: '2020-01-01', To: '2020-01-02' }, [], 0],
  ])('is filtered by %s', async (_what, values, outcomes, count) => {
    const { member } = world.slack.people;
    const page = await filtered(
      await answerTo(world, 'history'),
      member.id,
      values as Record<string, string>,
    );
    expect([...new Set(linesOf(page).map(({ outcome }) => outcome))]).toEqual(outcomes);
    expect(linesOf(page)).toHaveLength(count);
    if (count === 0) expect(textOf(page)).toContain('No text matches.');
    expect(linesOf(await turn(page, member.id, 'Remove filter'))).toHaveLength(10);
  });

  it('is exported row by row, each message of a job by itself', async () => {
    const { member, colleague } = world.slack.people;
    const page = await answerTo(world, 'history');
    await world.slack.click({ user: member, message: page, text: 'Export CSV' });
    const file = await world.slack.waitFor(() => fileFor(world, member, /^history\.csv$/));
    const [header, ...lines] = file;
    expect(header?.slice(1)).toEqual([
      ...['channel', 'by', 'phone', 'outcome', 'message id', 'credits'],
      ...[expect.stringMatching(/^answered/), 'reason', 'row in list', 'reference'],
      ...['approved by', expect.stringMatching(/^approval asked/)],
    ]);
    expect(lines.map((cells) => [cells[3], cells[4]])).toEqual([
      ...['201', '202', '203'].map((end) => [`(+44) 7700900${end}`, 'sent']),
      ...OUTCOMES.map((outcome, place) => [`(+44) ${numberOf(place).slice(3)}`, outcome]).reverse(),
    ]);
    const ids = world.service.messages.map(({ id }) => String(id)).sort();
    expect(
      lines
        .map((cells) => cells[5] ?? '')
        .filter(Boolean)
        .sort(),
    ).toEqual(ids);
    const theirs = await answerTo(world, 'history', { user: colleague });
    await world.slack.click({ user: colleague, message: theirs, text: 'Export CSV' });
    const masked = await world.slack.waitFor(() => fileFor(world, colleague, /^history\.csv$/));
    expect(JSON.stringify(masked)).not.toMatch(/7946 ?08|7700 ?900/);
    expect(masked).toHaveLength(file.length);
  });
});

describe('who may see it', () => {
  it('of the whole workspace only admins', async () => {
    const { admin, member } = world.slack.people;
    expect(await ask(world, 'history all')).toContain('Only admins can use `/sms history all`');
    const page = await answerTo(world, 'history all', { user: admin });
    expect(linesOf(page)).toEqual(expectedLines(wholeOf).slice(0, 10));
    const forged = await world.slack.click({ user: member, message: page, text: 'Older', forged: true });
    expect(textOf(await forged.reply())).toContain('Only admins');
  });

  it('guests if the link allows it, and only people in the channel', async () => {
    const { slack } = world;
    const { guest, member } = slack.people;
    const { sales } = slack.channels;
    slack.join(sales.id, guest.id);
    expect(await ask(world, 'history', { user: guest })).toContain(
      'Only people who may send from this channel can see its history',
    );
    slack.leave(sales.id, guest.id);
    const page = await answerTo(world, 'history');
    slack.leave(sales.id, member.id);
    for (const text of ['Older', 'Export CSV']) {
      const click = await slack.click({ user: member, message: page, text, forged: true });
      expect(textOf(await click.reply())).toContain('You are not in');
    }
    slack.join(sales.id, member.id);
  });

  it('a channel shows only its own texts, even by the id of another channel’s text', async () => {
    const { slack } = world;
    const { admin } = slack.people;
    const { leads } = slack.channels;
    await link(world, { channel: leads, name: 'Leads', key: 'sandbox-key-birch-0002' });
    expect(await ask(world, 'history', { user: admin, channel: leads })).toContain(
      'Nothing was sent from here yet',
    );
    const page = await answerTo(world, 'history', { user: admin });
    const [value = ''] = valuesOf(page);
    const empty = await answerTo(world, 'history', { user: admin, channel: leads });
    const menu = { ...page, channel: empty.channel };
    const click = await slack.click({
      user: admin,
      message: menu,
      action_id: 'history_details',
      value,
      forged: true,
    });
    expect(textOf(await formOf(slack, click))).toContain('out of date');
  });
});
