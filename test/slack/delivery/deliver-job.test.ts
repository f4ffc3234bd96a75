import { pino } from 'pino';
import { type Playground, textOf } from 'slack-playground';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  SECRETS,
  startPlayground,
  webClientOf,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import type { OutboxRow } from '../../../src/core/core.ts';
import type { JobResult } from '../../../src/core/jobs/job-results.ts';
import type { JobView } from '../../../src/core/jobs/job-view.ts';
import type { Country } from '../../../src/core/texts/phone.ts';
import { defined } from '../../../src/ledger/model/defined.ts';
import { createReplies } from '../../../src/slack/answers/replies.ts';
import { deliver } from '../../../src/slack/delivery/deliver.ts';
import { createDownload } from '../../../src/slack/files/download-file.ts';
import { createUpload } from '../../../src/slack/files/upload-file.ts';
import { createAccess } from '../../../src/slack/people/access.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';
import { filesOf } from '../../helpers/bulk-steps.ts';
import { aJob } from '../ui/bulk-samples.ts';

const aResult = (row: number): JobResult => ({ row, e164: '+442079460958', state: 'sent' });

let slack: Playground;
let view: JobView;
let row: OutboxRow;
let announced: string[];
/** How far the store's clock is ahead of this machine's, in ms. */
let storeAheadMs: number;
let deps: SlackDeps;

beforeEach(async () => {
  slack = await startPlayground();
  const web = webClientOf(slack);
  announced = [];
  storeAheadMs = 0;
  const log = pino({ level: 'silent' });
  // The test says what the ledger holds. Everything towards Slack is real.
  const core = {
    jobs: { view: async () => view, results: async () => [aResult(view.counts.sent)] },
    announce: async ({ id }: { id: string }) => void announced.push(id),
    now: () => Date.now() + storeAheadMs,
  } as unknown as SlackDeps['core'];
  deps = {
    core,
    web,
    access: createAccess({ web, team: slack.team.id, admins: [] }),
    replies: createReplies({ web }),
    rights: { countryIn: async () => 'GB' } as Partial<SlackDeps['rights']>,
    files: {
      download: createDownload({ web, botToken: SECRETS.botToken, apiUrl: slack.apiUrl, log }),
      toPerson: createUpload(web),
    },
    log,
  } as SlackDeps;
  row = {
    id: 'job:job-1',
    topic: 'job',
    subject: 'job-1',
    details: null,
    areMore: false,
    attempts: 0,
    since: Date.now(),
  };
});
afterEach(() => slack.close());

function ofMember(fields: Partial<JobView>, counts: Partial<JobView['counts']>): JobView {
  const by = slack.people.member.id;
  return aJob({ channel: slack.channels.sales.id, decidedBy: by, ...fields }, counts, { by });
}

const running = () => ofMember({}, { sent: 1000, left: 3213 });
const finished = (sent = 4213) =>
  ofMember({ state: 'finished', endedAt: Date.now() }, { sent, unknown: 4213 - sent });
/** The row in each of the files: how many texts were sent at that time. */
const results = () =>
  filesOf({ slack }, slack.people.member).map(({ text }) => text.split('\r\n')[1]?.split(',')[0]);
const cards = (channel = slack.channels.sales.id) =>
  slack
    .history(channel)
    .map(textOf)
    .filter((text) => text.includes('list.csv'));

/** Like the outbox: keeps the posted message with the row, and counts tries. */
async function post() {
  const delivery = await deliver(deps, row).catch((): { kind: 'lost' } => ({ kind: 'lost' }));
  row =
    delivery.kind === 'posted'
      ? { ...row, posted: delivery.posted, attempts: 0 }
      : { ...row, attempts: row.attempts + 1 };
  return delivery;
}

test('a job has one card, which changes', async () => {
  view = running();
  await post();
  view = ofMember({ state: 'paused' }, { sent: 2000, left: 2213 });
  await post();
  expect(cards()).toEqual([expect.stringContaining('*Paused*')]);
  expect(results()).toEqual([]);
});

test('a card that says when its list begins is checked again a second after that', async () => {
  view = ofMember({ startsAt: Date.now() + 10_000, canUndo: true }, { left: 4213 });
  const delivery = await post();
  const { againMs = 0 } = delivery.kind === 'posted' ? delivery : {};
  expect(againMs).toBeGreaterThan(1000);
  expect(againMs).toBeLessThanOrEqual(11_000);
  view = ofMember({ startsAt: Date.now() - 1, canUndo: true }, { left: 4213 });
  expect(await post()).not.toHaveProperty('againMs');
  expect(cards()).toEqual([expect.stringContaining('*Waiting for its turn*')]);
});

test('a card of unknown texts comes again once they may be resent', async () => {
  const unknown = { sent: 1, unknown: 4212 };
  view = ofMember({ state: 'finished', endedAt: Date.now(), resendableAt: Date.now() + 60_000 }, unknown);
  const delivery = await post();
  const { againMs = 0 } = delivery.kind === 'posted' ? delivery : {};
  expect(againMs).toBeGreaterThan(50_000);
  expect(againMs).toBeLessThanOrEqual(60_000);
  expect(cards().join()).not.toContain('Resend the unknown');
  view = { ...view, resendableAt: Date.now() };
  expect(await post()).not.toHaveProperty('againMs');
  expect(cards()).toEqual([expect.stringContaining('[Resend the unknown…]')]);
});

test.each([-300_000, 300_000])(
  'it goes by the store’s clock, also where that is %d ms ahead of this machine’s',
  async (aheadMs) => {
    storeAheadMs = aheadMs;
    view = ofMember({ startsAt: Date.now() + aheadMs + 10_000, canUndo: true }, { left: 4213 });
    const delivery = await post();
    expect(cards()).toEqual([expect.stringMatching(/\*Sending in (?:9|10) s\*.*\[Undo\]/s)]);
    expect(delivery).toHaveProperty('againMs');
    const { againMs = 0 } = delivery.kind === 'posted' ? delivery : {};
    expect(againMs).toBeLessThanOrEqual(11_000);
    // If Slack does not accept the results, the bot tries for ten minutes exactly.
    slack.fault({ method: 'upload_url', fault: { kind: 'refused', error: 'x' }, count: Infinity });
    view = finished();
    row = { ...row, since: Date.now() + aheadMs - 590_000 };
    expect(await post()).toEqual({ kind: 'refused' });
    row = { ...row, since: Date.now() + aheadMs - 600_000 };
    expect(await post()).toMatchObject({ kind: 'posted' });
  },
);

test('at the end the results come first, then the card says where they are, once', async () => {
  view = running();
  await post();
  view = finished();
  await post();
  expect(results()).toEqual(['4213']);
  expect(cards()).toEqual([
    expect.stringMatching(/\*Finished\*.*`list-results\.csv` is in your direct messages/s),
  ]);
  const calls = slack.calls.map(({ method }) => method);
  expect(calls.lastIndexOf('files.completeUploadExternal')).toBeLessThan(calls.lastIndexOf('chat.update'));
  await post();
  expect(results()).toHaveLength(1);
});

/** A finished job whose list Slack still has. */
async function finishedFile(country: Country | undefined): Promise<JobView> {
  const list = 'name,mobile\r\nAnn,020 7946 0958\n';
  const { upload_url: url = '', file_id: id = '' } = await deps.web.files.getUploadURLExternal({
    filename: 'list.csv',
    length: list.length,
  });
  await fetch(url, { method: 'POST', body: list });
  await deps.web.files.completeUploadExternal({ files: [{ id }] });
  const job = ofMember({ state: 'finished', endedAt: Date.now() }, { sent: 2, unknown: 4211 });
  const given = { ...job.details.given, ...defined({ country }), file: { id, name: 'list.csv' } };
  return { ...job, details: { ...job.details, given } };
}

const COUNTRIES: { of: string; draft?: Country; channel?: Country }[] = [
  { of: 'the channel', channel: 'GB' },
  { of: 'the draft, if the channel is unlinked by now', draft: 'GB' },
  { of: 'the draft, if the channel has another one by now', draft: 'GB', channel: 'US' },
];

test.each(COUNTRIES)(
  'results have the columns of a list that Slack still has, by the country of $of',
  async (country) => {
    deps = { ...deps, rights: { ...deps.rights, countryIn: async () => country.channel } };
    view = await finishedFile(country.draft);
    await post();
    view = finished();
    await post();
    const files = filesOf({ slack }, slack.people.member);
    expect(files.map(({ text }) => text.slice(1).split('\r\n').slice(0, 2))).toEqual([
      ['name,mobile,outcome,message id,credits,time (Europe/London),reason', 'Ann,(+44) 2079460958,sent,,,,'],
      ['row,phone,outcome,message id,credits,time (Europe/London),reason', '4213,(+44) 2079460958,sent,,,,'],
    ]);
    const comments = slack.history(slack.directMessage(slack.people.member.id).id).map(textOf);
    const missing = 'Your file is gone or has changed, so its columns are missing.';
    expect(comments.map((comment) => comment.includes(missing))).toEqual([false, true]);
  },
);

test.each([
  ['files.info', { kind: 'rate_limited', retryAfter: 7 }],
  ['files.info', { kind: 'server_error' }],
  ['files.info', { kind: 'lost_answer' }],
  ['files.info', { kind: 'refused', error: 'internal_error' }],
  ['url_private', { kind: 'rate_limited', retryAfter: 7 }],
  ['url_private', { kind: 'server_error' }],
  ['url_private', { kind: 'lost_answer' }],
] as const)(
  'results wait for a minute for a list that Slack does not hand out at the moment: %s, %j',
  async (method, fault) => {
    const headers = () =>
      filesOf({ slack }, slack.people.member).map(({ text }) => text.slice(1).split(',')[0]);
    view = await finishedFile('GB');
    slack.fault({ method, fault, count: Infinity });
    expect(await post()).toEqual({ kind: 'refused' });
    expect(headers()).toEqual([]);
    slack.clearFaults();
    expect(await post()).toMatchObject({ kind: 'posted' });
    expect(headers()).toEqual(['name']);

    slack.fault({ method, fault, count: Infinity });
    view = { ...view, counts: { ...view.counts, sent: 3 } };
    row = { ...row, since: row.since - 60_000 };
    expect(await post()).toMatchObject({ kind: 'posted' });
    expect(headers()).toEqual(['name', 'row']);
  },
);

test.each([{ kind: 'server_error' }, { kind: 'rate_limited', retryAfter: 7 }] as const)(
  'a card that fails with %j after the results is tried again without them',
  async (fault) => {
    view = running();
    await post();
    view = finished();
    slack.fault({ method: 'chat.update', fault });
    expect(await post()).toMatchObject({ kind: 'posted' });
    expect(announced).toEqual(['job:job-1']);
    expect(cards()).toEqual([expect.stringContaining('*Sending*')]);
    await post();
    expect(cards()).toEqual([expect.stringContaining('*Finished*')]);
    expect(results()).toHaveLength(1);
  },
);

test('Slack’s wait is handed on', async () => {
  view = finished();
  slack.fault({ method: 'files.completeUploadExternal', fault: { kind: 'rate_limited', retryAfter: 7 } });
  expect(await post()).toEqual({ kind: 'refused', waitMs: 7000 });
  slack.fault({ method: 'upload_url', fault: { kind: 'rate_limited', retryAfter: 9 } });
  expect(await post()).toEqual({ kind: 'refused', waitMs: 9000 });
});

test.each(['files.completeUploadExternal', 'upload_url'])(
  'if Slack asks to wait for hours (%s), the next try comes after ten minutes',
  async (method) => {
    view = finished();
    slack.fault({ method, fault: { kind: 'rate_limited', retryAfter: 7200 } });
    expect(await post()).toEqual({ kind: 'refused', waitMs: 600_000 });
  },
);

test('results that keep failing do not keep the card from ending', async () => {
  view = finished();
  slack.fault({ method: 'upload_url', fault: { kind: 'refused', error: 'x' }, count: Infinity });
  for (let tries = 1; tries < 9; tries += 1) expect(await post()).toEqual({ kind: 'refused' });
  expect(cards()).toEqual([]);
  row = { ...row, since: row.since - 600_000 };
  expect(await post()).toMatchObject({ kind: 'posted' });
  expect(cards()).toEqual([
    expect.stringMatching(/\*Finished\*.*could not be delivered: Slack did not take it/s),
  ]);
});

test('an error that no retry mends is said at once', async () => {
  view = finished();
  slack.fault({ method: 'files.getUploadURLExternal', fault: { kind: 'refused', error: 'missing_scope' } });
  await post();
  expect(cards()).toEqual([expect.stringContaining('reinstall it with the scope files:write')]);
});

test.each(['user_not_visible', 'invalid_user_combination'])(
  'nor does the card wait for a person of another workspace whom the bot can’t write to: %s',
  async (error) => {
    view = finished();
    slack.fault({ method: 'conversations.open', fault: { kind: 'refused', error } });
    expect(await post()).toMatchObject({ kind: 'posted' });
    expect(cards()).toEqual([expect.stringMatching(/\*Finished\*.*could not be delivered/s)]);
  },
);

test('a late answer brings new results', async () => {
  view = finished(4113);
  await post();
  expect(results()).toEqual(['4113']);
  view = finished(4213);
  await post();
  expect(results()).toEqual(['4113', '4213']);
  expect(cards()).toEqual([expect.stringContaining('A newer `list-results.csv`')]);
});

test('a stopped job’s results wait for requests in flight', async () => {
  view = ofMember({ state: 'stopped' }, { sent: 4000, cancelled: 113, left: 100, inFlight: 100 });
  await post();
  expect(results()).toEqual([]);
  view = ofMember({ state: 'stopped' }, { sent: 4100, cancelled: 113 });
  await post();
  expect(results()).toEqual(['4100']);
});

test('if the bot was put out of the channel, the card goes to the job’s author, and stays there', async () => {
  const dm = slack.directMessage(slack.people.member.id).id;
  view = running();
  await post();
  slack.leave(slack.channels.sales.id, slack.bot.user_id);
  view = ofMember({}, { sent: 2000, left: 2213 });
  slack.fault({ method: 'chat.update', fault: { kind: 'refused', error: 'channel_not_found' } });
  await post();
  view = finished();
  await post();
  expect(cards(dm)).toEqual([expect.stringContaining('*Finished*')]);
});

test('a card in a channel that was archived meanwhile goes to the job’s author', async () => {
  view = running();
  await post();
  slack.addChannel({ ...slack.channels.sales, is_archived: true });
  view = finished();
  expect(await post()).toMatchObject({ kind: 'posted' });
  const dm = slack.directMessage(slack.people.member.id).id;
  expect(cards(dm)).toEqual([expect.stringContaining('*Finished*')]);
  expect(cards()).toEqual([expect.stringContaining('*Sending*')]);
});

test.each(['restricted_action_read_only_channel', 'restricted_action_thread_only_channel'])(
  'where Slack says %s, the card goes to who asked for the job',
  async (error) => {
    view = finished();
    slack.fault({ method: 'chat.postMessage', fault: { kind: 'refused', error } });
    expect(await post()).toMatchObject({ kind: 'posted' });
    const dm = slack.directMessage(slack.people.member.id).id;
    expect(cards(dm)).toEqual([expect.stringContaining('*Finished*')]);
    expect(cards()).toEqual([]);
  },
);

test.each(['cant_update_message', 'edit_window_closed'])(
  'a card that the bot can’t change any more (%s) is posted again',
  async (error) => {
    view = running();
    await post();
    view = finished();
    slack.fault({ method: 'chat.update', fault: { kind: 'refused', error } });
    await post();
    await post();
    expect(cards()).toEqual([expect.stringContaining('*Sending*'), expect.stringContaining('*Finished*')]);
  },
);

test('a draft has no card', async () => {
  view = ofMember({ state: 'draft' }, {});
  expect(await post()).toMatchObject({ kind: 'dropped' });
});

test('only its response_url says that a draft expired: nobody gets a message for it', async () => {
  view = ofMember({ state: 'expired' }, {});
  expect(await post()).toMatchObject({ kind: 'dropped' });
  expect(cards()).toEqual([]);
  expect(slack.calls).toEqual([]);
});
