import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { explainPort } from '../../src/start-error.ts';
import { connect } from '../../src/store/redis/connect.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { START } from '../helpers/start-command.ts';
import { type Ended, SHORT_WAITS, type World } from '../helpers/world.ts';
import {
  arrivalsAt,
  ask,
  draft,
  eventually,
  link,
  press,
  receiptOf,
  rows,
  sendRequests,
} from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

const newWorld = worldsOfFile();

function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

/** The bot ended with an error's code and one sentence a line, without a stack or a secret. */
function expectSentences({ environment }: World, ended: Ended, ...sentences: RegExp[]): void {
  const lines = ended.stderr.trim().split('\n');
  expect(ended.code, ended.stderr).toBe(1);
  expect(lines, ended.stderr).toHaveLength(sentences.length);
  for (const [index, sentence] of sentences.entries()) expect(lines[index]).toMatch(sentence);
  expect(ended.stderr + ended.stdout).not.toMatch(/^\s+at |node:internal/m);
  for (const name of ['SLACK_BOT_TOKEN', 'ENCRYPTION_KEY']) {
    expect(ended.stderr + ended.stdout).not.toContain(environment[name]);
  }
}

describe.concurrent('each reason why the bot can’t start is one line', () => {
  it('each missing variable, its meaning and where to get it', async () => {
    const world = await newWorld({ bot: START });
    const empty = Object.fromEntries(Object.keys(world.environment).map((name) => [name, '']));
    const path = world.environment.PATH as string;
    expectSentences(
      world,
      await world.runMain({ ...empty, PATH: path, NODE_ENV: 'production' }),
      ...['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'SMS_BASE_URL', 'ENCRYPTION_KEY'].map(
        (name) => new RegExp(`^${name} is missing: .{40,}`),
      ),
    );
  });

  it('impossible values, none of them repeated if it may be a secret', async () => {
    const world = await newWorld();
    const secrets = { SLACK_BOT_TOKEN: 'xapp-1-swapped', ENCRYPTION_KEY: 'c2hvcnQ=' };
    const ended = await world.runMain({
      ...secrets,
      SMS_ATTEMPT_LEASE_MS: '1500',
      SMS_TIMEOUT_MS: '1500',
      PORT: 'eighty',
      LOG_LEVEL: 'verbose',
      SMS_BASE_URL: 'http://sms.example.com/api/v1',
      SLACK_ADMIN_IDS: 'ana',
    });
    expectSentences(
      world,
      ended,
      /^SLACK_BOT_TOKEN is not usable: it must begin with xoxb-/,
      /^PORT is not usable: /,
      /^SMS_BASE_URL is not usable: /,
      /^ENCRYPTION_KEY is not usable: .*32/,
      /^SLACK_ADMIN_IDS is not usable: /,
      /^LOG_LEVEL is not usable: .*debug, info, warn, error/,
      /^SMS_ATTEMPT_LEASE_MS is 1500 but must be at least .*so 2000\.$/,
    );
    for (const secret of Object.values(secrets)) expect(ended.stderr + ended.stdout).not.toContain(secret);
  });

  it('a second bot on the same DATA_DIR waits 10 s, then says so', async () => {
    const world = await newWorld();
    await world.start();
    const second = await world.runMain({ PORT: '0' });
    expectSentences(
      world,
      second,
      /^Another bot is using .*: stop it first, or give this one a DATA_DIR of its own\.$/,
    );
    expect(second.ms).toBeGreaterThan(9000);
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
  });

  it('a DATA_DIR that is a file, or that the bot can’t write to', async () => {
    const world = await newWorld();
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-start-'));
    writeFileSync(join(folder, 'file'), '');
    for (const dir of [join(folder, 'file'), '/proc/switchboard', '/dev/null/data']) {
      expectSentences(
        world,
        await world.runMain({ DATA_DIR: dir }),
        /can't be used \(.*\): DATA_DIR must be a local folder .* nothing is sent without it\.$/,
      );
    }
    rmSync(folder, { recursive: true });
  });

  it('a full disk', async () => {
    const world = await newWorld();
    expectSentences(world, await world.runMain({}, { largestFileKb: 0 }), /can't be used \(.*space left/);
    expectSentences(world, await world.runMain({}, { largestFileKb: 8 }), /can't be used \(.*space left/);
  });

  it('a database of a newer version, a file that is no database, or a damaged one', async () => {
    const world = await newWorld();
    await world.start();
    await world.stop();
    const file = join(world.dataDir, 'switchboard.db');
    const damaged = readFileSync(file).fill(255, 8192);
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version=999');
    db.close();
    const newer = /switchboard\.db was written by a newer version .*format 999.*restore a backup/;
    expectSentences(world, await world.runMain(), newer);
    expectSentences(world, await world.runAdmin(['status']), newer);
    for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
    writeFileSync(file, 'This is no database. '.repeat(500));
    const none =
      /switchboard\.db is damaged \(file is not a database\): stop the bot and put a backup back \(see Backup/;
    expectSentences(world, await world.runMain(), none);
    expectSentences(world, await world.runAdmin(['status']), none);
    writeFileSync(file, damaged);
    const sentence = /^(\S+switchboard\.db|The database) is damaged \(database disk image is malformed\): /;
    expectSentences(world, await world.runMain(), sentence);
    expectSentences(world, await world.runAdmin(['status']), sentence);
  });

  it('an ENCRYPTION_KEY that does not fit the stored data', async () => {
    const world = await newWorld();
    await world.start();
    await link(world);
    await world.stop();
    const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
    expectSentences(
      world,
      await world.runMain({ ENCRYPTION_KEY }),
      /^ENCRYPTION_KEY does not fit the stored data\. .*DATA_DIR and REDIS_URL.* forget-keys --yes, .* and the opt-outs again\.$/,
    );
    await world.start();
    expect(await ask(world, 'balance')).toContain('1,000 credits');
  });

  it('a token that Slack refuses, and Slack out of reach; not a few lost answers', async () => {
    const world = await newWorld();
    expectSentences(
      world,
      await world.runMain({ SLACK_BOT_TOKEN: 'xoxb-revoked-1' }),
      /^Slack does not take the bot token \(.*invalid_auth\): check SLACK_BOT_TOKEN/,
    );
    world.slack.fault({ method: 'auth.test', fault: { kind: 'refused', error: 'internal_error' } });
    expectSentences(
      world,
      await world.runMain(),
      /^Slack fails at the moment \(.*internal_error\): try again later; status\.slack\.com may say more\.$/,
    );
    world.slack.fault({ method: 'auth.test', fault: { kind: 'lost_answer' }, count: 3 });
    await world.start();
    expect(await world.stop()).toBe(0);
    expectSentences(
      world,
      await world.runMain({ SLACK_API_URL: 'http://127.0.0.1:9/api/' }),
      /^Slack can't be reached at http:\/\/127\.0\.0\.1:9\/api\/ \(.*\): check the network/,
    );
  });

  it('a Socket Mode token that Slack refuses', async () => {
    const world = await newWorld({ socketMode: true });
    expectSentences(
      world,
      await world.runMain({ SLACK_APP_TOKEN: 'xapp-revoked-1' }),
      /^Slack does not open the Socket Mode connection .*SLACK_APP_TOKEN/,
    );
  });

  it('a port that is taken', async () => {
    const world = await newWorld();
    const { port } = new URL(world.service.url);
    expectSentences(world, await world.runMain({ PORT: port }), new RegExp(`^Port ${port} is in use`));
  });

  it('a file that may not be read is no port', () => {
    const error = Object.assign(new Error('no'), { code: 'EACCES', syscall: 'open' });
    expect(explainPort(error, { PORT: 3000, METRICS_PORT: undefined })).toBeUndefined();
  });

  it('a METRICS_HOST that this machine does not have', async () => {
    const world = await newWorld();
    for (const METRICS_HOST of ['192.0.2.1', 'nowhere.invalid']) {
      const ended = await world.runMain({ METRICS_PORT: '0', METRICS_HOST });
      expectSentences(world, ended, /^METRICS_HOST is no address of this machine: /);
    }
  });
});

it.concurrent('a store that is new says so in the log, once: it may be in the wrong place', async () => {
  const world = await newWorld();
  await world.start();
  await world.stop();
  await world.start();
  expect(world.output().match(/the store is new and knows nothing/g)).toHaveLength(1);
});

describe.skipIf(withoutRedis)('a reason why a bot can’t start on Redis', { concurrent: true }, () => {
  it('is said in one line, without the password', async () => {
    const world = await newWorld();
    const volatile = await startRedis({ appendfsync: 'everysec' });
    try {
      const refused = await world.runMain({ REDIS_URL: volatile.url });
      expect(refused.stderr).toMatch(/^Redis may forget what was sent, .*REDIS_ALLOW_VOLATILE=true\.\n$/);
      expect(refused.code).toBe(1);
      await world.start({ REDIS_URL: volatile.url, REDIS_ALLOW_VOLATILE: 'true' });
      await world.stop();
      await volatile.kill();
      const url = volatile.url.replace('//', '//:hushhush@');
      const gone = await world.runMain({ REDIS_URL: url, REDIS_ALLOW_VOLATILE: 'true' });
      expect(gone.stderr).toMatch(/^Redis can't be reached at 127\.0\.0\.1:\d+ .*check REDIS_URL.*\n$/);
      expect(gone.stdout + gone.stderr + world.output()).not.toContain('hushhush');
      const noUrl = await world.runMain({ REDIS_URL: 'http://:hushhush@127.0.0.1' });
      expect(noUrl.stderr).toMatch(/^REDIS_URL is not usable: .*\n$/);
      expect(noUrl.stderr).not.toContain('hushhush');
      const unset = await world.runAdmin(['reset-store', '--yes']);
      expect(unset.stderr).toMatch(/REDIS_URL is not set/);
    } finally {
      await volatile.close();
    }
  });

  it('a Redis that needs a password, and gets none', async () => {
    const world = await newWorld();
    const redis = await startRedis();
    const { client, close } = await connect(redis.url);
    try {
      await client.sendCommand(['CONFIG', 'SET', 'requirepass', 'hushhush']);
      const refused = await world.runMain({ REDIS_URL: redis.url });
      expect(refused.stderr).toMatch(
        /^Redis at 127\.0\.0\.1:\d+ needs a password: put it into REDIS_URL\.\n$/,
      );
      expect(refused.code).toBe(1);
    } finally {
      await client.sendCommand(['CONFIG', 'SET', 'requirepass', '']);
      close();
      await redis.close();
    }
  });

  it('a Redis that is a replica', async () => {
    const world = await newWorld();
    const [primary, replica] = [await startRedis(), await startRedis()];
    const { client, close } = await connect(replica.url);
    try {
      await client.sendCommand(['REPLICAOF', '127.0.0.1', new URL(primary.url).port]);
      const refused = await world.runMain({ REDIS_URL: replica.url });
      expect(refused.stderr).toBe(
        'REDIS_URL leads to a replica, which takes no writes: set it to a name that always leads to the primary. If a failover is under way, try again.\n',
      );
      // It ends: the client leaves no connection open.
      expect(refused.code).toBe(1);
    } finally {
      close();
      await replica.close();
      await primary.close();
    }
  });

  it('a Redis that is a cluster', async ({ expect: expected }) => {
    const world = await newWorld();
    const redis = await startRedis({ 'cluster-enabled': 'yes' });
    const { client, close } = await connect(redis.url);
    try {
      const refused = async () => (await world.runMain({ REDIS_URL: redis.url })).stderr;
      const sentence =
        'Redis is a cluster, and the bot needs one server: set REDIS_URL to a Redis without cluster mode.\n';
      expect(await refused()).toBe(sentence);
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
      await expected.poll(() => client.sendCommand(['CLUSTER', 'INFO'])).toContain('cluster_state:ok');
      expect(await refused()).toBe(sentence);
    } finally {
      close();
      await redis.close();
    }
  });

  it('a Sentinel, which holds no data', async () => {
    const world = await newWorld();
    const file = join(mkdtempSync(join(tmpdir(), 'switchboard-sentinel-')), 'sentinel.conf');
    writeFileSync(file, '');
    const sentinel = await startRedis({}, tmpdir(), ([program, ...words]) => {
      const [port, portNumber = '', bind, address = ''] = words;
      return [program, file, '--sentinel', port ?? '', portNumber, bind ?? '', address];
    });
    try {
      const refused = await world.runMain({ REDIS_URL: sentinel.url });
      expect(refused.stderr).toBe(
        'REDIS_URL leads to a Sentinel, which holds no data: set it to a name that always leads to the primary.\n',
      );
      expect(refused.code).toBe(1);
    } finally {
      await sentinel.close();
      rmSync(dirname(file), { recursive: true });
    }
  });

  it('a Redis that takes no more clients', async () => {
    const world = await newWorld();
    const redis = await startRedis({ maxclients: '1' });
    const { close } = await connect(redis.url);
    try {
      const refused = await world.runMain({ REDIS_URL: redis.url });
      expect(refused.stderr).toMatch(
        /^Redis can't be reached at .*, and that Redis runs and takes more clients \(maxclients\)\.\n$/,
      );
    } finally {
      close();
      await redis.close();
    }
  });

  it('a Redis whose user may run no script', async () => {
    const world = await newWorld();
    const redis = await startRedis();
    const { client, close } = await connect(redis.url);
    try {
      await client.sendCommand(['ACL', 'SETUSER', 'bot', 'on', '>secret', '~*', '+config|get']);
      const refused = await world.runMain({ REDIS_URL: redis.url.replace('//', '//bot:secret@') });
      expect(refused.stderr).toMatch(
        /^Redis can't be used \(.*\): NOPERM .* Give its user the rights that docs\/operating\.md names\.\n$/,
      );
      expect(refused.code).toBe(1);
    } finally {
      close();
      await redis.close();
    }
  });

  it('a Redis that takes the connection and then freezes', async () => {
    const world = await newWorld();
    const redis = await startRedis();
    const { client, close } = await connect(redis.url);
    try {
      await client.sendCommand(['CLIENT', 'PAUSE', '60000', 'WRITE']);
      const late = await world.runMain({ REDIS_URL: redis.url });
      expect(late.stderr).toBe('Redis did not answer in time (start). Try again once the store works.\n');
      expect(late.code).toBe(1);
    } finally {
      close();
      await redis.close();
    }
  });
});

describe.concurrent('a stop', () => {
  for (const signal of ['an answer', 'no answer'] as const) {
    it(`finishes requests in flight: ${signal}`, async ({ expect }) => {
      const world = await newWorld({ env: SHORT_WAITS });
      const { service } = world;
      await world.start();
      await link(world);
      const preview = await draft(world, '+442079461001 In the middle');
      service.addFault(
        signal === 'an answer'
          ? { kind: 'delay', ms: 900, endpoint: 'send' }
          : { kind: 'hang', when: 'before', endpoint: 'send' },
      );
      await press(world, preview, 'Send');
      await eventually(() => sendRequests(world).length === 1);
      expect(await world.stop()).toBe(0);
      expect(rows(world, 'SELECT state FROM chunks')).toEqual([
        { state: signal === 'an answer' ? 'sent' : 'unknown' },
      ]);
      expect(await receiptOf(world, preview)).toMatch(
        signal === 'an answer' ? /^✅ \*Sent\*/ : /^⚠️ \*Unknown\*/,
      );
      expect(arrivalsAt(world, '442079461001')).toHaveLength(signal === 'an answer' ? 1 : 0);
      expect(world.output()).not.toContain('"level":50');
    });
  }

  it('by SIGHUP, as when a terminal is closed, finishes them too', async ({ expect }) => {
    const world = await newWorld({ bot: START });
    await world.start();
    await link(world);
    const preview = await draft(world, '+442079461001 In the middle');
    world.service.addFault({ kind: 'delay', ms: 900, endpoint: 'send' });
    await press(world, preview, 'Send');
    await eventually(() => sendRequests(world).length === 1);
    process.kill(Number(/"pid":(\d+)/.exec(world.output())?.[1]), 'SIGHUP');
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    await eventually(() => world.output().includes('Switchboard has stopped'));
  });

  it('while the bot still starts: it never begins to work', async ({ expect }) => {
    const world = await newWorld();
    await world.start();
    const [program, ...words] = START;
    const env = { ...world.environment, PORT: '0' };
    const second = spawn(program, words, { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    second.stdout.on('data', (part) => {
      said += part;
    });
    const ended = once(second, 'exit');
    try {
      // The second bot waits until the first one has ended. In a container, the kernel drops a signal that nobody takes.
      await eventually(() => filesOf(second.pid ?? 0).some((file) => file.endsWith('bot.lock')));
      second.kill('SIGTERM');
      await world.stop();
      expect(await ended).toEqual([0, null]);
      expect(said).toContain('Switchboard has stopped');
      expect(said).not.toContain('Switchboard is ready');
    } finally {
      second.kill('SIGKILL');
    }
  });

  it('while modals and commands run: each is answered, and the process ends', async ({ expect }) => {
    const world = await newWorld();
    await world.start();
    await link(world);
    world.service.addFault({ kind: 'delay', ms: 700, endpoint: 'balance' });
    const { slack } = world;
    const command = await slack.command({
      user: slack.people.member,
      channel: slack.channels.sales,
      text: 'balance',
    });
    const stopped = world.stop();
    expect((await command.reply()).text).toContain('1,000 credits');
    expect(await stopped).toBe(0);
  });
});
