import { randomBytes } from 'node:crypto';
import { channel, deliverByHttp, type Json } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Records } from '../../src/records/records.ts';
import { COMMANDS } from '../../src/slack/ui/command-list.ts';
import { ACTIONS, COMMAND, FIELDS, VIEWS } from '../../src/slack/ui/ids.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { SHORT_WAITS, type World } from '../helpers/world.ts';
import { confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  ask,
  BIRCH_KEY,
  draft,
  eventually,
  link,
  press,
  receiptOf,
  rows,
} from '../helpers/world-steps.ts';
import { createTwoWorkspaces, type TwoWorkspaces } from './helpers/two-workspaces.ts';

/** A channel of the first workspace alone. Nobody of the second one sends its id. */
const VAULT = 'C0VAULT001';
/** Words of the first workspace. The second one must see none of them. */
const SECRETS = /Alpha|…0001|Acme Ltd|Rendezvous|7700 ?900|77009001|C0VAULT001/;
/** Elements of views. */
const IN_VIEWS: string[] = [
  ACTIONS.chooseInstance,
  ACTIONS.chooseWhoCanSend,
  ACTIONS.replaceKey,
  ACTIONS.removeInstance,
  ACTIONS.openRefusalCheck,
  ACTIONS.openLimitsInSettings,
];
/** People of the second workspace with the ids of people in the first: they could see all that those may see. */
const WHO = ['U0MEMBER01', 'U0ADMIN001'];

let both: TwoWorkspaces;
let first: World;
let second: World;
/** All sends and jobs of the first workspace, and its instance. */
let sends: string[];
let instance: string;

beforeAll(async () => {
  both = await createTwoWorkspaces({
    env: { ...SHORT_WAITS, BULK_CHUNK_SIZE: '1', BALANCE_POLL_MS: '86400000' },
  });
  ({ first, second } = both);
  await first.start();
  await both.install(both.tenants.first);
  await both.install(both.tenants.second);
  const { people, bot } = first.slack;
  const members = [people.member.id, people.admin.id, bot.user_id];
  first.slack.addChannel(channel({ id: VAULT, name: 'vault', members }));
  await link(first, { channel: { id: VAULT }, key: ACME_KEY, name: 'Alpha' });
  await link(first, { key: ACME_KEY, name: 'Alpha' });
  await link(second, { key: BIRCH_KEY, name: 'Birch', values: { 'Low-credit threshold': '0' } });

  const where = { channel: { id: VAULT } };
  first.service.addFault({ kind: 'hang', endpoint: 'texts', times: 'always' });
  const lost = await draft(first, '+447700900100 Rendezvous lost', where);
  await press(first, lost, 'Send');
  expect(await receiptOf(first, lost)).toMatch(/^⚠️ \*Unknown/);
  for (const at of [where, {}]) await draft(first, '+447700900101 Rendezvous drafted', at);
  const list = Array.from({ length: 12 }, (_, place) => `+4477009001${20 + place}, Ann`).join('\n');
  const job = await draftBulk(first, { ...where, recipients: list, message: 'Rendezvous {2}' });
  await confirmBulk(first, job);
  await eventually(() => rows(first, "SELECT id FROM sends WHERE state = 'paused'").length === 1);
  await eventually(() => rows(first, "SELECT idx FROM chunks WHERE state = 'sending'").length === 0);
  for (const at of [where, {}]) {
    await draftBulk(first, { ...at, recipients: list, message: 'Rendezvous {2}' });
  }
  first.service.clearFaults();
  sends = rows(first, 'SELECT id FROM sends').map(({ id }) => String(id));
  const [kept] = rows(
    first,
    `SELECT key FROM kv WHERE namespace = 'instances' AND key LIKE '${teamOf(first)}/%'`,
  );
  instance = String(kept?.key).split('/')[1] ?? '';
  // Evidence changes the receipt of the person who sent the text: that must not look like an answer.
  const unknown = "SELECT idx FROM chunks WHERE state = 'unknown' AND evidence IS NULL";
  await ask(first, 'balance', { channel: { id: VAULT } });
  await eventually(() => rows(first, unknown).length === 0, 30_000);
  await quiet(first);
});
afterAll(() => both.close());

/** The first workspace's words in `seen`. */
const leaksIn = (seen: unknown, secrets = SECRETS) => [...(secrets.exec(JSON.stringify(seen)) ?? [])];

const teamOf = ({ slack }: World) => slack.team.id;

/** The state of the first workspace, without what changes with time. */
function standing(): unknown {
  const team = teamOf(first);
  return [
    rows(first, `SELECT id, state, decided_by FROM sends WHERE team = '${team}' ORDER BY id`),
    rows(first, 'SELECT send, idx, state, resent_as, said_sent_by FROM chunks ORDER BY send, idx').filter(
      ({ send }) => sends.includes(String(send)),
    ),
    rows(first, `SELECT namespace, key FROM kv WHERE key LIKE '${team}%' ORDER BY namespace, key`),
    rows(first, `SELECT name, state FROM states WHERE name LIKE '%${team}/%' ORDER BY name`),
    rows(first, `SELECT value FROM kv WHERE namespace = 'links' AND key LIKE '${team}%'`),
    first.service.messages.filter(({ phone }) => /77009001/.test(phone)).length,
  ];
}

/** A trigger and a response_url of this workspace, as Slack hands them out. The bot refuses the command that they are of. */
async function opening(
  user: string,
  { slack } = second,
): Promise<{ trigger_id: string; response_url: string }> {
  const asked = await slack.command(
    { user, channel: slack.channels.sales, text: 'help' },
    { signature: 'wrong' },
  );
  return { trigger_id: String(asked.payload.trigger_id), response_url: String(asked.payload.response_url) };
}

/** Few enough requests for a busy machine to answer them in Slack's three seconds. */
const AT_ONCE = 12;

/** Sends payloads from a workspace with Slack's signature. The answers may show none of these secrets. */
async function send(payloads: (() => Promise<Json>)[], from = second, secrets = SECRETS): Promise<void> {
  const { slack } = from;
  const before = { calls: slack.calls.length, standing: standing() };
  const deliver = async (payload: () => Promise<Json>) =>
    deliverByHttp(`${from.url}/slack/events`, from.signingSecret, {
      type: 'interactive',
      payload: { ...(await payload()), team: { id: teamOf(from) } },
    });
  const acks: Awaited<ReturnType<typeof deliver>>[] = [];
  for (let at = 0; at < payloads.length; at += AT_ONCE)
    acks.push(...(await Promise.all(payloads.slice(at, at + AT_ONCE).map(deliver))));
  expect(acks.map(({ status }) => status)).toEqual(payloads.map(() => 200));
  await quiet(from);
  const seen = [acks.map(({ body }) => body), slack.calls.slice(before.calls)];
  expect(leaksIn(seen, secrets)).toEqual([]);
  expect(standing()).toEqual(before.standing);
}

/** Resolves once the bot has no more to say to this workspace. */
async function quiet({ slack } = second): Promise<void> {
  for (let seen = -1; seen !== slack.calls.length; ) {
    seen = slack.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

const person = (user: string, from = second) => ({ id: user, team_id: teamOf(from) });
const to = (user: string, response_url: string) => ({
  user,
  channel: 'C0SALES001',
  responseUrl: response_url,
  issuedAt: Date.now(),
});

/** Every field of every form, filled in with ids of the first workspace. The number is another one in each workspace. */
function filledIn(from: World): Json {
  const number = { value: from === second ? '+44 20 7946 0499' : '+44 20 7946 0497' };
  const option = { selected_option: { value: instance } };
  const today = { selected_date: new Date().toISOString().slice(0, 10) };
  const values: { [field in keyof typeof FIELDS]: Json } = {
    recipient: number,
    message: { value: 'Mine' },
    recipients: number,
    csvFile: { files: [] },
    phoneColumn: {},
    channel: { selected_option: { value: 'C0SALES001' } },
    instance: option,
    instanceName: { value: 'Mine' },
    apiKey: { value: 'a-key-that-is-not-one' },
    threshold: { value: '0' },
    keepDays: { value: '3' },
    topUpUrl: { value: 'https://mine.example/' },
    country: {},
    whoCanSend: { selected_option: { value: 'everyone' } },
    people: { selected_users: [] },
    options: { selected_options: [] },
    acceptAccount: { selected_options: [] },
    ownPhone: number,
    arrived: { selected_option: { value: 'no' } },
    refusals: { selected_option: { value: 'atomic' } },
    sharedKey: { selected_options: [{ value: 'shared_key' }] },
    person: { selected_user: 'U0MEMBER01' },
    number,
    outcome: {},
    fromDay: today,
    toDay: today,
    decision: { selected_option: { value: 'approve' } },
    reason: { value: 'Mine' },
    approvalAbove: { value: '1' },
    approvers: { selected_users: ['U0MEMBER01'] },
    approvalsIn: { selected_option: { value: 'direct' } },
    ownApproval: { selected_options: [{ value: 'own_approval' }] },
    monthlyBudget: { value: '1' },
    dailyPerPerson: { value: '1' },
    largestList: { value: '1' },
    undoSeconds: { value: '60' },
    listUndoSeconds: { value: '60' },
    timeZone: { value: 'Asia/Tokyo' },
    optOutText: { value: 'Mine' },
    whoMayOptOut: { selected_option: { value: 'everyone' } },
  };
  return Object.fromEntries(
    Object.entries(values).map(([field, element]) => {
      const block = FIELDS[field as keyof typeof FIELDS];
      return [block, { [block]: element }];
    }),
  );
}

function viewOf(callback_id: string, metadata: Json, from = second): Json {
  return {
    id: `V0${randomBytes(4).toString('hex')}`,
    hash: randomBytes(4).toString('hex'),
    type: 'modal',
    callback_id,
    title: { type: 'plain_text', text: 'A form', emoji: false },
    private_metadata: JSON.stringify(metadata),
    blocks: [],
    state: { values: filledIn(from) },
    app_installed_team_id: teamOf(from),
  };
}

const BUTTONS = Object.values(ACTIONS);
// A notice has no submit button.
const FORMS = Object.values(VIEWS).filter((id) => id !== VIEWS.notice);

/** A click of this person on a button with this value. `channel`: what a form behind the button is about. */
async function click(
  action_id: string,
  given: { user: string; place: string; value: string; channel?: string },
  from = second,
): Promise<Json> {
  const { user, place, value, channel = 'C0SALES001' } = given;
  const { trigger_id, response_url } = await opening(user, from);
  const metadata = { to: to(user, response_url), channel, instance };
  const inView = IN_VIEWS.includes(action_id);
  return {
    type: 'block_actions',
    user: person(user, from),
    channel: { id: place },
    trigger_id,
    response_url,
    container: { type: inView ? 'view' : 'message' },
    ...(inView ? { view: viewOf(VIEWS.settingsForm, metadata, from) } : {}),
    actions: [{ type: 'button', action_id, block_id: 'b', value, action_ts: '1.1' }],
  };
}

/** A form that this person submits, about the send with this id. */
async function submission(
  callback_id: string,
  { user, id, channel = 'C0SALES001' }: { user: string; id: string; channel?: string },
  from = second,
): Promise<Json> {
  const { trigger_id, response_url } = await opening(user, from);
  const metadata = {
    to: to(user, response_url),
    channel,
    instance,
    replaces: id,
    request: id,
    checks: 0,
    arrived: 'no',
    shown: { refusals: 'unproven', shared: false },
  };
  const view = viewOf(callback_id, metadata, from);
  return { type: 'view_submission', user: person(user, from), trigger_id, view, response_urls: [] };
}

sideBySide(`${WHO.join(' and ')} of another workspace`, () => {
  const words = [...new Set(['help', 'nonsense', ...COMMANDS.map(({ word }) => word)])];

  it.each(words)(`get nothing by ${COMMAND} %s`, async (word) => {
    const { slack } = second;
    const before = { calls: slack.calls.length, standing: standing() };
    for (const user of WHO) {
      for (const at of ['C0SALES001', 'C0LEADS001']) {
        await slack.command({ user, channel: at, text: word });
        const rest = word === 'send' ? `${word} +44 20 7946 0498 hi` : `${word} ${sends[0]}`;
        await slack.command({ user, channel: at, text: rest });
      }
    }
    await quiet();
    expect(leaksIn(slack.calls.slice(before.calls))).toEqual([]);
    expect(standing()).toEqual(before.standing);
  });

  it.each(BUTTONS)('get nothing by the button %s', async (action_id) => {
    const values = [...sends, instance, 'C0SALES001'];
    const clicks = WHO.flatMap((user) => {
      // The first place is a channel whose id both workspaces have; the second is the direct message.
      const places = ['C0SALES001', second.slack.directMessage(user).id];
      return places.flatMap((place) => values.map((value) => () => click(action_id, { user, place, value })));
    });
    await send(clicks);
  });

  it.each(FORMS)('get nothing by the form %s', async (callback_id) => {
    const forms = WHO.flatMap((user) => sends.map((id) => () => submission(callback_id, { user, id })));
    await send(forms);
  });
});

sideBySide('a colleague who is not in the channel', () => {
  const user = 'U0MEMBER02';
  /** Colleagues may see how much is left, but neither words nor numbers. */
  const WORDS = /Rendezvous|7700 ?900|77009001/;
  let inVault: string[];

  beforeAll(async () => {
    inVault = rows(first, `SELECT id FROM d_sends WHERE value ->> '$.record.channelId' = '${VAULT}'`).map(
      ({ id }) => String(id),
    );
    expect(inVault.length).toBeGreaterThan(2);
  });

  it.each(BUTTONS)('gets no words by the button %s', async (action_id) => {
    const place = first.slack.directMessage(user).id;
    const values = [...inVault, ...inVault.map((id) => `${id}/${id}`), VAULT];
    const clicks = values.map(
      (value) => () => click(action_id, { user, place, value, channel: VAULT }, first),
    );
    await send(clicks, first, WORDS);
  });

  it.each(FORMS)('gets no words by the form %s', async (callback_id) => {
    const forms = inVault.map((id) => () => submission(callback_id, { user, id, channel: VAULT }, first));
    await send(forms, first, WORDS);
  });
});

describe('what is kept', () => {
  /** The owner of each kind of record. A new kind needs an entry here. */
  const KINDS: {
    [kind in Exclude<keyof Records, 'inOneStep' | 'fingerprintSecret' | 'reseal' | 'forgetSecrets'>]: string;
  } = {
    instances: 'workspace',
    links: 'workspace',
    workspaces: 'workspace',
    installations: 'workspace',
    // Prices belong to an account: workspaces that share one have its keys.
    prices: 'account',
    accountInstances: 'account',
    keyHolders: 'workspace',
    pendingUnlinks: 'workspace',
    retention: 'workspace',
    workspaceRules: 'workspace',
  };

  it('of a workspace has that workspace’s id', () => {
    const found = rows(first, 'SELECT namespace, key FROM kv');
    // The store has older names for some kinds.
    const older = {
      payers: KINDS.accountInstances,
      leavers: KINDS.pendingUnlinks,
      holders: KINDS.keyHolders,
      rules: KINDS.workspaceRules,
    };
    const kinds: { [namespace: string]: string } = { ...KINDS, ...older, secrets: 'bot' };
    const teams = [teamOf(first), teamOf(second)];
    for (const { namespace, key } of found) {
      const owner = kinds[String(namespace)];
      expect(owner, `namespace ${namespace}`).toBeDefined();
      if (owner === 'workspace') expect(teams).toContain(String(key).split('/')[0]);
    }
    expect([...new Set(found.map(({ namespace }) => namespace))].sort()).toEqual(
      expect.arrayContaining(['installations', 'instances', 'links', 'payers', 'secrets', 'workspaces']),
    );
  });

  it('in the ledger says whose it is, and the outbox has posted each row there', () => {
    const owners = rows(first, 'SELECT DISTINCT team FROM sends').map(({ team }) => team);
    expect(owners).toContain(teamOf(first));
    for (const team of owners) expect([teamOf(first), teamOf(second)]).toContain(team);
    expect(leaksIn(second.slack.calls)).toEqual([]);
    expect(JSON.stringify(first.slack.calls)).not.toMatch(/Birch|(?:7946 ?|···)(?:0499|0498)/);
  });
});
