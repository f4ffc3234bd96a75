import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../local/free-port.ts';
import { outbox } from '../../src/ledger/outbox/outbox-documents.ts';
import { startingWith } from '../../src/store/keys.ts';
import { read as documentOf } from '../helpers/documents.ts';
import { editStore } from '../helpers/edit-store.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import { ACME_KEY, ask, draft, eventually, link, sendText } from '../helpers/world-steps.ts';

/** A series' value, by its name and labels as written; undefined if there is no such series. */
function figureOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** The values of all series: the last words of lines that are no comments. */
const VALUES = /(?<=^[^#\n].*) \S+$/gm;

describe('/metrics, after a day with a bit of everything', () => {
  let world: World;
  let port: number;
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  beforeAll(async () => {
    port = await freePort();
    world = await createWorld({ env: { METRICS_PORT: String(port), SMS_BULK_MIN_RECIPIENTS: '1' } });
    await world.start();
    const { service, slack } = world;
    await link(world);
    await sendText(world, '+442079461401 Quokka');
    service.addFault({ kind: 'reset', endpoint: 'send' });
    await sendText(world, '+442079461402 Wombat');
    const recipients = ['+442079461403', '+442079461404', '+442079461405'].join('\n');
    await confirmBulk(world, await draftBulk(world, { recipients, message: 'Axolotl' }));
    await cardSaying(world, /Finished/);
    slack.fault({ method: 'users.info', fault: { kind: 'rate_limited', retryAfter: 1 } });
    await ask(world, 'balance', { user: slack.people.colleague });
    slack.fault({ method: 'users.info', fault: { kind: 'refused', error: 'user_not_found' } });
    await ask(world, 'balance', { user: slack.people.colleague });
  });
  afterAll(() => world.close());

  it('has the metrics of the table in docs/operating.md, and no others', async () => {
    const table = [...documentOf('docs/operating.md').matchAll(/^\| `(switchboard_\w+)/gm)];
    const served = [...(await read()).matchAll(/^# TYPE (\w+)/gm)];
    expect(served.map(([, name]) => name).sort()).toEqual(table.map(([, name]) => name).sort());
  });

  it('counts messages by outcome, and the credits that they took', async () => {
    const text = await read();
    expect(figureOf(text, 'switchboard_messages_total{outcome="sent"}')).toBe(4);
    expect(figureOf(text, 'switchboard_messages_total{outcome="unknown"}')).toBe(1);
    expect(figureOf(text, 'switchboard_messages_total{outcome="rejected"}')).toBe(0);
    expect(figureOf(text, 'switchboard_messages_total{outcome="not_sent"}')).toBe(0);
    expect(figureOf(text, 'switchboard_credits_used_total')).toBe(4);
  });

  it('times acks by kind of request', async () => {
    const text = await read();
    for (const kind of ['command', 'block_actions', 'view_submission']) {
      const count = figureOf(text, `switchboard_ack_seconds_count{kind="${kind}"}`) ?? 0;
      expect(count, kind).toBeGreaterThanOrEqual(2);
      expect(figureOf(text, `switchboard_ack_seconds_bucket{le="3",kind="${kind}"}`), kind).toBe(count);
    }
  });

  it('times calls to Slack and the service by how they ended', async () => {
    const text = await read();
    const slack = (method: string, outcome: string) =>
      figureOf(text, `switchboard_slack_call_seconds_count{method="${method}",outcome="${outcome}"}`) ?? 0;
    expect(slack('auth.test', 'ok')).toBe(1);
    expect(slack('response_url', 'ok')).toBeGreaterThan(2);
    expect(slack('chat.postMessage', 'ok')).toBeGreaterThan(1);
    expect(slack('users.info', 'rate_limited')).toBe(1);
    expect(slack('users.info', 'refused')).toBe(1);
    const service = (endpoint: string, outcome: string) =>
      figureOf(text, `switchboard_service_call_seconds_count{endpoint="${endpoint}",outcome="${outcome}"}`);
    expect(service('send', 'accepted')).toBe(1);
    expect(service('send', 'unknown')).toBe(1);
    expect(service('send_bulk', 'accepted')).toBe(1);
    expect(service('balance', 'accepted')).toBeGreaterThan(0);
  });

  it('knows the balance of the account, by its user id', async () => {
    const text = await read();
    const [account] = /switchboard_balance_credits\{account="\d+"\} \d+/.exec(text) ?? [];
    const left = world.service.state().accounts[0];
    expect(account).toBe(`switchboard_balance_credits{account="${left?.user_id}"} ${left?.credits}`);
  });

  it('has no key, token, text, number, name or address in it', async () => {
    const text = await read();
    expect(text.length).toBeGreaterThan(2000);
    for (const word of [ACME_KEY, 'xoxb', 'Quokka', 'Wombat', 'Axolotl', 'Acme', '127.0.0.1']) {
      expect(text).not.toContain(word);
    }
    expect(text).not.toMatch(/\b[CUT]0[A-Z0-9]{4,}/);
    // A sum or a time may have any four digits in a row. So a value must not be a number, and all else has no part of one.
    const words = text.replaceAll(VALUES, '');
    expect(words).toContain('switchboard_credits_used_total');
    expect(words).not.toContain('7946');
    const values = [...text.matchAll(VALUES)].map(([value]) => Number(value));
    expect(values).toContain(4);
    for (let last = 1401; last <= 1405; last += 1) {
      for (const prefix of ['44207946', '207946', '7946', ''])
        expect(values).not.toContain(Number(`${prefix}${last}`));
    }
  });

  it('knows how many messages are unknown, also those of a bot that was killed', async () => {
    const { service, slack } = world;
    const series = 'switchboard_unknown_messages';
    expect(figureOf(await read(), series)).toBe(1);
    service.addFault({ kind: 'delay', endpoint: 'send', ms: 60_000, when: 'before' });
    const before = service.requests.length;
    const preview = await draft(world, '+442079461409 Bilby');
    await slack.click({ user: preview.to, message: preview, text: 'Send' });
    await eventually(() => service.requests.slice(before).some(({ endpoint }) => endpoint === 'send'));
    await world.kill();
    await world.start();
    expect(figureOf(await read(), series)).toBe(2);
  });

  it('counts messages that Slack refused for a day, and the log says which, without their words', async () => {
    const { slack } = world;
    const series = 'switchboard_outbox_given_up_total';
    expect(figureOf(await read(), series)).toBe(0);
    const refused = { kind: 'refused', error: 'invalid_blocks' } as const;
    slack.fault({ method: 'chat.postMessage', fault: refused, count: Number.POSITIVE_INFINITY });
    await sendText(world, '+442079461407 Numbat');
    await eventually(() => world.output().includes('"why":"invalid_blocks"'));
    await world.kill();
    await editStore(world, (view) => {
      for (const { id, value } of view.list(outbox, 'waiting', startingWith([]))) {
        const { waiting } = value;
        if (!waiting) continue;
        const longAgo = { ...waiting, since: waiting.since - 86_400_000, attempts: 100 };
        view.put(outbox, id, { ...value, waiting: longAgo });
      }
    });
    await world.start();
    await eventuallyAsync(async () => figureOf(await read(), series) === 1);
    // The test may read a figure before the log line of the same step.
    await eventually(() => /was given up.*\n/.test(world.output()));
    const [line, ...more] = world
      .output()
      .split('\n')
      .filter((one) => one.includes('was given up'));
    expect(more).toEqual([]);
    const { time: _time, pid: _pid, ...said } = JSON.parse(line ?? '');
    expect(said).toMatchObject({ topic: 'line', why: 'invalid_blocks' });
    expect(JSON.stringify(said)).not.toMatch(/Numbat|79461407/);
    slack.clearFaults();
  });

  it('shows what waits and since when: a job whose service asks for a rest, a card that Slack refuses', async () => {
    const { service, slack } = world;
    expect(figureOf(await read(), 'switchboard_job_lag_seconds')).toBe(0);
    await eventuallyAsync(async () => figureOf(await read(), 'switchboard_outbox_lag_seconds') === 0);
    service.addFault({ kind: 'rate_limited', endpoint: 'bulk' });
    slack.fault({
      method: 'chat.postMessage',
      fault: { kind: 'rate_limited', retryAfter: 60 },
      count: Number.POSITIVE_INFINITY,
    });
    const preview = await draftBulk(world, {
      recipients: '+442079461406\n+442079461408',
      message: 'Axolotl',
    });
    await confirmBulk(world, preview);
    await eventually(() => world.output().includes('"outcome":"rate_limited"'));
    for (const lag of ['switchboard_job_lag_seconds', 'switchboard_outbox_lag_seconds']) {
      await eventuallyAsync(async () => (figureOf(await read(), lag) ?? 0) > 1);
    }
    const text = await read();
    expect(figureOf(text, 'switchboard_permits_waiting{audience="background"}')).toBe(1);
    expect(figureOf(text, 'switchboard_permits_waiting{audience="interactive"}')).toBe(0);
    slack.clearFaults();
  });

  it('is served to this machine only, on a port of its own, and answers nothing else', async () => {
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one && !one.internal && one.family === 'IPv4');
    for (const other of others) {
      await expect(fetch(`http://${other?.address}:${port}/metrics`)).rejects.toThrow();
    }
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${world.url}/metrics`)).status).toBe(404);
  });

  it('if the port is taken, one line says so', async () => {
    const taken = new URL(world.service.url).port;
    const ended = await world.runMain({ METRICS_PORT: taken, DATA_DIR: `${world.dataDir}/other`, PORT: '0' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(new RegExp(`^Port ${taken} is in use .* set METRICS_PORT`));
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });
});

async function eventuallyAsync(probe: () => Promise<boolean>): Promise<void> {
  await expect.poll(probe).toBe(true);
}
