import { deliverByHttp } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/slack/connection/install.ts';
import type { World } from '../helpers/world.ts';
import {
  ACME_KEY,
  arrivalsAt,
  ask,
  BIRCH_KEY,
  draft,
  historyOf,
  link,
  press,
  receiptOf,
  rows,
  sendText,
  withoutTimes,
} from '../helpers/world-steps.ts';
import { OAUTH_APP } from './helpers/slack-front.ts';
import { createTwoWorkspaces, type TwoWorkspaces } from './helpers/two-workspaces.ts';

/** The bot's records of a workspace, by namespace. */
function keptOf(world: World, team: string): string[] {
  return rows(world, 'SELECT namespace, key FROM kv')
    .filter(({ key }) => key === team || String(key).startsWith(`${team}/`))
    .map(({ namespace, key }) => `${namespace} ${String(key).replace(/\/.*/, '/…')}`)
    .sort();
}

const keptOfLinked = (team: string) => [
  `holders ${team}/…`,
  `installations ${team}`,
  `instances ${team}/…`,
  `links ${team}/…`,
  `workspaces ${team}`,
];

describe('workspaces that install the bot', () => {
  let both: TwoWorkspaces;
  let first: World;
  let second: World;
  beforeAll(async () => {
    both = await createTwoWorkspaces();
    ({ first, second } = both);
    await first.start();
  });
  afterAll(() => both.close());

  it('is ready without any, and says so to everybody who uses it', async () => {
    // The bot is ready a moment before this process has read that in its log.
    await expect.poll(first.output).toContain('Switchboard is ready');
    const said = await ask(first, 'balance');
    expect(said).toContain('no longer installed in this workspace');
    expect(said).not.toContain('went wrong');
  });

  it('leads to Slack with all scopes, and accepts nobody who did not begin here', async () => {
    const begun = await fetch(`${first.url}/slack/install`, { redirect: 'manual' });
    expect(begun.status).toBe(302);
    const to = new URL(begun.headers.get('location') ?? '');
    expect(`${to.origin}${to.pathname}`).toBe('https://slack.com/oauth/v2/authorize');
    expect(to.searchParams.get('client_id')).toBe(OAUTH_APP.clientId);
    expect(to.searchParams.get('scope')?.split(',')).toEqual(SCOPES);
    const state = to.searchParams.get('state') ?? '';
    const code = both.front.allow(both.tenants.first);
    for (const query of [`code=${code}&state=${state}`, `code=${code}&state=forged`, `code=${code}`]) {
      const back = await fetch(`${first.url}/slack/oauth_redirect?${query}`);
      expect(back.status).toBeGreaterThanOrEqual(400);
    }
    expect(rows(first, "SELECT key FROM kv WHERE namespace = 'installations'")).toEqual([]);
    const posted = await fetch(`${first.url}/slack/install`, { method: 'POST' });
    expect(posted.status).toBe(404);
  });

  it('works in both, each with its own key and channel, though all ids are the same', async () => {
    for (const tenant of [both.tenants.first, both.tenants.second]) {
      expect((await both.install(tenant)).status).toBe(200);
    }
    await link(first, { key: ACME_KEY, name: 'Acme' });
    await link(second, { key: BIRCH_KEY, name: 'Birch', values: { 'Low-credit threshold': '0' } });
    expect(await ask(first, 'balance')).toContain('*1,000 credits*');
    expect(await ask(second, 'balance')).toContain('*3 credits*');
    expect(await sendText(first, '+442079460401 From the first')).toMatch(/^✅ \*Sent\*[\s\S]*999 left/);
    expect(await sendText(second, '+442079460402 From the second')).toMatch(/^✅ \*Sent\*[\s\S]*2 left/);
    await first.slack.waitFor(() => historyOf(first).some((line) => line.includes('···0401')));
    await second.slack.waitFor(() => historyOf(second).some((line) => line.includes('···0402')));
    expect(withoutTimes(historyOf(first).join('\n'))).not.toMatch(/0402|Birch/);
    expect(withoutTimes(historyOf(second).join('\n'))).not.toMatch(/0401|Acme/);
    const { admin } = first.slack.people;
    expect(admin.id).toBe(second.slack.people.admin.id);
  });

  it('keeps tokens encrypted, and out of the log', () => {
    for (const bytes of [first.dataBytes(), first.output()]) {
      expect(bytes).not.toContain('xoxb-issued');
      expect(bytes).not.toContain(OAUTH_APP.clientSecret);
    }
  });

  it('knows them all after a restart', async () => {
    expect(await first.stop()).toBe(0);
    await first.start();
    expect(await ask(first, 'balance')).toContain('*999 credits*');
    expect(await ask(second, 'balance')).toContain('*2 credits*');
  });

  it('a workspace that takes the bot away: its work stops, its records go, and nothing else', async () => {
    const preview = await draft(first, '+442079460403 Too late');
    const stays = await draft(second, '+442079460404 In time');
    const [one, other] = [first.slack.team.id, second.slack.team.id];
    expect(keptOf(first, one)).toEqual(keptOfLinked(one));
    // The bot has no tokens of people.
    await first.slack.event({ type: 'tokens_revoked', tokens: { oauth: ['U0ADMIN001'], bot: [] } });
    await both.front.remove(both.tenants.first);
    await first.slack.event({
      type: 'tokens_revoked',
      tokens: { oauth: [], bot: [first.slack.bot.user_id] },
    });
    await expect.poll(() => keptOf(first, one)).toEqual([]);
    const states = rows(
      first,
      "SELECT team, state FROM sends WHERE details LIKE '%0403%' OR details LIKE '%0404%'",
    );
    expect(states).toEqual(
      expect.arrayContaining([
        { team: one, state: 'expired' },
        { team: other, state: 'draft' },
      ]),
    );
    await press(first, preview, 'Send');
    expect(await ask(first, 'balance')).toContain('no longer installed');
    expect(arrivalsAt(first, '442079460403')).toEqual([]);
    expect(keptOf(second, other)).toEqual(keptOfLinked(other));
    await press(second, stays, 'Send');
    expect(await receiptOf(second, stays)).toMatch(/^✅ \*Sent\*/);
  });

  it('begins again if a workspace comes back; a late event from before does it no harm', async () => {
    const { team } = first.slack;
    expect((await both.install(both.tenants.first)).status).toBe(200);
    expect(await ask(first, 'balance')).toContain('not linked');
    await link(first, { key: ACME_KEY, name: 'Acme again' });
    const envelope = { type: 'event_callback', team_id: team.id, event_id: 'Ev0LATE', authorizations: [] };
    // A bot with a slow clock sees such an event: later than this installation.
    const late = {
      ...envelope,
      event: { type: 'app_uninstalled' },
      event_time: Math.floor(Date.now() / 1000) + 60,
    };
    const url = `${first.url}/slack/events`;
    const ack = await deliverByHttp(url, first.signingSecret, { type: 'events_api', payload: late });
    expect(ack.status).toBe(200);
    await expect.poll(() => first.output()).toContain('was made again since');
    expect(keptOf(first, team.id)).toEqual(keptOfLinked(team.id));
    expect(await ask(first, 'balance')).toContain('credits*');
    expect(first.slack.failures).toEqual([]);
  });
});

describe('an organisation that installs the bot for all its workspaces', () => {
  let both: TwoWorkspaces;
  beforeAll(async () => {
    both = await createTwoWorkspaces({ enterprise: 'E0ORGANISE' });
    await both.first.start();
    for (const tenant of [both.tenants.first, both.tenants.second]) {
      expect((await both.install(tenant)).status).toBe(200);
    }
  });
  afterAll(() => both.close());

  /** A little late, Slack says that the organisation has removed its workspace. */
  async function tellRevoked(): Promise<void> {
    const { second } = both;
    const taken = {
      type: 'event_callback',
      event_id: 'Ev0REVOKED',
      event_time: Math.floor(Date.now() / 1000),
      event: { type: 'team_access_revoked', team_ids: [second.slack.team.id], event_ts: '1' },
      authorizations: [{ enterprise_id: 'E0ORGANISE', team_id: null, is_enterprise_install: true }],
    };
    const url = `${second.url}/slack/events`;
    const ack = await deliverByHttp(url, second.signingSecret, { type: 'events_api', payload: taken });
    expect(ack.status).toBe(200);
  }

  it('is found by the organisation, and its workspace has its own records', async () => {
    const { second } = both;
    const team = second.slack.team.id;
    await link(second, { name: 'Org' });
    expect(await sendText(second, '+442079460411 From the organisation')).toMatch(/^✅ \*Sent\*/);
    await second.slack.waitFor(() => historyOf(second).some((line) => line.includes('···0411')));
    expect(keptOf(second, team)).toEqual([
      `holders ${team}/…`,
      `instances ${team}/…`,
      `links ${team}/…`,
      `workspaces ${team}`,
    ]);
    expect(keptOf(second, 'E0ORGANISE')).toEqual(['installations E0ORGANISE']);
    const calls = second.slack.calls.filter(({ method }) => method === 'chat.postMessage');
    expect(calls.map(({ args }) => args.team_id)).toContain(team);
  });

  it('takes one workspace away: its data go, and the installation stays', async () => {
    const { second, front } = both;
    const team = second.slack.team.id;
    const preview = await draft(second, '+442079460412 Too late');
    front.takenAway.add(team);
    await tellRevoked();
    await expect.poll(() => keptOf(second, team)).toEqual([]);
    expect(keptOf(second, 'E0ORGANISE')).toEqual(['installations E0ORGANISE']);
    await press(second, preview, 'Send');
    expect(await ask(second, 'balance')).toContain('not linked');
    expect(arrivalsAt(second, '442079460412')).toEqual([]);
  });

  it('gives it back: late events from before delete nothing', async () => {
    const { second, front } = both;
    const team = second.slack.team.id;
    front.takenAway.delete(team);
    await link(second, { name: 'Org again' });
    await tellRevoked();
    await expect.poll(() => second.output()).toContain('was given back since');
    expect(keptOf(second, team)).toEqual([
      `holders ${team}/…`,
      `instances ${team}/…`,
      `links ${team}/…`,
      `workspaces ${team}`,
    ]);
    expect(await ask(second, 'balance')).toContain('credits*');
  });

  it('goes with all its workspaces, and with them only', async () => {
    const { first, second } = both;
    await link(first, { key: BIRCH_KEY, name: 'Birch', values: { 'Low-credit threshold': '0' } });
    await both.front.remove(both.tenants.second);
    await expect.poll(() => keptOf(second, 'E0ORGANISE')).toEqual([]);
    expect(keptOf(second, second.slack.team.id)).toEqual([]);
    expect(keptOf(first, first.slack.team.id)).toEqual(keptOfLinked(first.slack.team.id));
    expect(await ask(first, 'balance')).toContain('*3 credits*');
  });
});

describe('token rotation', () => {
  let both: TwoWorkspaces;
  beforeAll(async () => {
    both = await createTwoWorkspaces();
    await both.first.start();
  });
  afterAll(() => both.close());

  it('exchanges a token that expires once, however many need it', async () => {
    const { first, front, tenants } = both;
    await both.install(tenants.first, { tokensLiveSeconds: 0 });
    await both.install(tenants.second, { tokensLiveSeconds: 60 });
    const answers = await Promise.all(
      [first, first, both.second, first, both.second].map((world) => ask(world, 'help')),
    );
    for (const answer of answers) expect(answer).toContain('/sms send');
    await expect.poll(() => front.exchanges.done).toBe(2);
    expect(await ask(first, 'balance')).toContain('not linked');
    expect(await ask(both.second, 'balance')).toContain('not linked');
    expect(front.exchanges).toEqual({ done: 2, refused: 0 });
  });
});
