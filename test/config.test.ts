import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, loadEnvFile, readConfig } from '../src/config/read-config.ts';
import { variables } from '../src/config/variables.ts';
import { COMPILE_CACHE } from './helpers/start-command.ts';

const key = randomBytes(32).toString('base64');
const otherKey = randomBytes(32).toString('base64');

const http = {
  SLACK_BOT_TOKEN: 'xoxb-bot',
  SLACK_SIGNING_SECRET: 'signing',
  SMS_BASE_URL: 'https://sms.example.com/api/v1',
  ENCRYPTION_KEY: key,
};
const { SLACK_SIGNING_SECRET: _notNeeded, ...withoutSecret } = http;
const socket = { ...withoutSecret, SLACK_APP_TOKEN: 'xapp-app' };

function real(env: Record<string, string>) {
  const config = readConfig(env);
  if (config.mode !== 'real') throw new Error('Expected the mode "real".');
  return config;
}

/** The settings, or what is wrong. */
function settingsOf(env: Record<string, string>): unknown {
  const problems = problemsOf(env);
  return problems.length > 0 ? problems : readConfig(env);
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('takes no quotation marks around a value: Docker passes them on', () => {
    const quoted = {
      SLACK_SIGNING_SECRET: '"signing"',
      ENCRYPTION_KEY: `'${key}'`,
      DATA_DIR: '"/data"',
      PORT: '"3000"',
    };
    expect(problemsOf({ ...http, ...quoted })).toEqual(
      ['SLACK_SIGNING_SECRET', 'PORT', 'ENCRYPTION_KEY', 'DATA_DIR'].map(
        (name) => `${name} is not usable: it has quotation marks around it; leave them out.`,
      ),
    );
    expect(problemsOf({ ...http, DATA_DIR: `the bot's "data"` })).toEqual([]);
  });

  it('has its defaults', () => {
    expect(readConfig(http)).toEqual({
      mode: 'real',
      slack: {
        botToken: 'xoxb-bot',
        apiUrl: 'https://slack.com/api/',
        transport: { kind: 'http', signingSecret: 'signing' },
      },
      port: 3000,
      sms: {
        baseUrl: 'https://sms.example.com/api/v1',
        baseUrlAlt: undefined,
        timeoutMs: 15_000,
      },
      core: {
        limits: { permits: 60, windowMs: 60_000, leaseMs: 30_000, timeoutMs: 15_000 },
        admins: [],
        balancePollMs: 300_000,
        repeatGuardMs: 86_400_000,
        bulk: { chunkSize: 100, mostCharacters: 1000, minRecipients: 51 },
        bulkRefusals: 'unproven',
        draftTtlMs: 900_000,
        listUndoMs: 10_000,
        retention: { days: 90, lookupDays: 400 },
      },
      encryptionKeys: [Buffer.from(key, 'base64')],
      dataDir: './data',
      redis: undefined,
      metrics: undefined,
      logLevel: 'info',
      warnings: [],
    });
  });

  it('takes every variable', () => {
    const every = {
      ...http,
      SLACK_API_URL: 'http://127.0.0.1:4000/api',
      PORT: '0',
      SMS_BASE_URL_ALT: 'https://api.sms.example.com/api/v1/',
      SMS_RATE_LIMIT: '10',
      SMS_RATE_WINDOW_MS: '1000',
      SMS_TIMEOUT_MS: '2000',
      ENCRYPTION_KEY: `${key}, ${otherKey}`,
      DATA_DIR: '/data',
      REDIS_URL: 'rediss://bot:hushhush@redis.example.com:6380/2',
      REDIS_ALLOW_VOLATILE: 'true',
      REDIS_REPLICAS: '2',
      SLACK_ADMIN_IDS: 'U1, W2',
      BALANCE_POLL_MS: '5000',
      DRAFT_TTL_MS: '6000',
      REPEAT_GUARD_HOURS: '0',
      LIST_UNDO_SECONDS: '5',
      BULK_CHUNK_SIZE: '50',
      BULK_MESSAGE_LENGTH: '500',
      SMS_BULK_MIN_RECIPIENTS: '2',
      SMS_BULK_REFUSALS: 'atomic',
      SMS_ATTEMPT_LEASE_MS: '2500',
      RETENTION_DAYS: '30',
      LOOKUP_DAYS: '60',
      METRICS_PORT: '9464',
      METRICS_HOST: '0.0.0.0',
      LOG_LEVEL: 'debug',
    };
    // The tests below have these.
    const others = ['SLACK_APP_TOKEN', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'];
    expect([...Object.keys(every), ...others].sort()).toEqual(Object.keys(variables.shape).sort());
    expect(real(every)).toMatchObject({
      slack: { apiUrl: 'http://127.0.0.1:4000/api/' },
      port: 0,
      sms: {
        baseUrlAlt: 'https://api.sms.example.com/api/v1',
        timeoutMs: 2000,
      },
      core: {
        limits: { permits: 10, windowMs: 1000, leaseMs: 2500, timeoutMs: 2000 },
        admins: ['U1', 'W2'],
        balancePollMs: 5000,
        draftTtlMs: 6000,
        repeatGuardMs: 0,
        listUndoMs: 5000,
        bulk: { chunkSize: 50, mostCharacters: 500, minRecipients: 2 },
        bulkRefusals: 'atomic',
        retention: { days: 30, lookupDays: 60 },
      },
      encryptionKeys: [Buffer.from(key, 'base64'), Buffer.from(otherKey, 'base64')],
      dataDir: '/data',
      redis: { url: 'rediss://bot:hushhush@redis.example.com:6380/2', allowVolatile: true, replicas: 2 },
      metrics: { port: 9464, host: '0.0.0.0' },
      logLevel: 'debug',
    });
    // Otherwise nobody reads it.
    for (const name of Object.keys(every)) {
      const without = Object.fromEntries(Object.entries(every).filter(([each]) => each !== name));
      expect({ settings: settingsOf(without) }, name).not.toEqual({ settings: real(every) });
    }
  });

  it('keeps the metrics on this machine by default', () => {
    expect(real({ ...http, METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464, host: '127.0.0.1' });
    expect(real({ ...http, METRICS_HOST: '0.0.0.0' }).metrics).toBeUndefined();
  });

  it('lets workspaces install the bot themselves, with all that takes', () => {
    const { SLACK_BOT_TOKEN: _none, ...rest } = http;
    const oauth = { SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'secret', SLACK_STATE_SECRET: 'state' };
    const { slack } = real({ ...rest, ...oauth });
    expect(slack.oauth).toEqual({ clientId: '1.2', clientSecret: 'secret', stateSecret: 'state' });
    expect(slack.botToken).toBeUndefined();
    expect(slack.transport).toEqual({ kind: 'http', signingSecret: 'signing' });
    expect(real(http).slack.oauth).toBeUndefined();
    expect(problemsOf({ ...rest, SLACK_CLIENT_ID: '1.2' })).toEqual([
      expect.stringMatching(/^SLACK_CLIENT_SECRET is missing: .*goes with SLACK_CLIENT_ID/),
      expect.stringMatching(/^SLACK_STATE_SECRET is missing: .*goes with SLACK_CLIENT_ID/),
    ]);
    expect(problemsOf({ ...http, ...oauth })).toEqual([
      expect.stringMatching(/^SLACK_BOT_TOKEN does not go with SLACK_CLIENT_ID.*Leave it out/),
    ]);
    expect(problemsOf({ ...rest, ...oauth, SLACK_APP_TOKEN: 'xapp-1' })).toEqual([
      expect.stringMatching(/^SLACK_APP_TOKEN does not go with SLACK_CLIENT_ID.*HTTP only/),
    ]);
  });

  it('uses Socket Mode when there is an app token, and needs no signing secret then', () => {
    expect(real(socket).slack.transport).toEqual({ kind: 'socket', appToken: 'xapp-app' });
    expect(real({ ...http, ...socket }).slack.transport.kind).toBe('socket');
  });

  it('is the playground if no variable for Slack is set', () => {
    expect(readConfig({})).toEqual({
      mode: 'playground',
      port: 3000,
      dataDir: './data',
      listUndoSeconds: 10,
    });
    expect(
      readConfig({ SLACK_BOT_TOKEN: '', SLACK_APP_TOKEN: ' ', PORT: '4000', DATA_DIR: '/data' }),
    ).toEqual({ mode: 'playground', port: 4000, dataDir: '/data', listUndoSeconds: 10 });
    expect(problemsOf({ PORT: 'x', SMS_TIMEOUT_MS: 'y' })).toEqual([
      'PORT is not usable: "x" is not a whole number from 0 to 65535.',
    ]);
  });

  it('names each missing variable, what it is and where to get it', () => {
    const places = [
      /^SLACK_BOT_TOKEN is missing: .*api\.slack\.com\/apps.*Bot User OAuth Token/,
      /^SLACK_SIGNING_SECRET is missing: the signing secret of your Slack app \(.*Basic Information → App Credentials/,
      /^SMS_BASE_URL is missing: .*\/api\/v1.*sandbox/,
      /^ENCRYPTION_KEY is missing: .*openssl rand -base64 32/,
    ].map((pattern) => expect.stringMatching(pattern));
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual(places);
    expect(problemsOf({ SLACK_API_URL: 'https://slack.com/api/' })).toEqual(places);
    expect(problemsOf({ ...http, ENCRYPTION_KEY: '  ' })).toEqual(places.slice(3));
    expect(problemsOf({ SLACK_APP_TOKEN: 'xapp-1' })).toEqual([places[0], places[2], places[3]]);
  });

  it('lists missing and unusable variables together, one line each', () => {
    const problems = problemsOf({
      SLACK_BOT_TOKEN: 'xoxb-1',
      PORT: 'x',
      SMS_ATTEMPT_LEASE_MS: '700',
      SMS_TIMEOUT_MS: '600',
    });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'SLACK_SIGNING_SECRET',
      'PORT',
      'SMS_BASE_URL',
      'ENCRYPTION_KEY',
      'SMS_ATTEMPT_LEASE_MS',
    ]);
    for (const problem of problems) expect(problem).toMatch(/^[^\n]+\.$/);
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'xapp-secret', /must begin with xoxb-/],
    ['SLACK_BOT_TOKEN', 'xoxb-1-secr…', /no spaces or accents/],
    ['SLACK_BOT_TOKEN', 'xoxb-1 secret', /no spaces or accents/],
    ['SLACK_APP_TOKEN', 'xoxb-secret', /must begin with xapp-/],
    ['SLACK_API_URL', 'http://slack.example.com/api/', /https/],
    ['SLACK_API_URL', 'http://127.0.0.1.secret.example.com/', /https/],
    ['SLACK_API_URL', 'https://user:secret@slack.com/api/', /without user/],
    ['SLACK_API_URL', 'secret', /https/],
    ['SMS_BASE_URL', 'http://sms.example.com/api/v1', /https/],
    ['SMS_BASE_URL', 'https://sms.example.com/secret', /\/api\/v1/],
    ['SMS_BASE_URL_ALT', 'sandbox', /URL/],
    ['ENCRYPTION_KEY', randomBytes(31).toString('base64'), /key 1 of 1 is not 32 bytes/],
    ['ENCRYPTION_KEY', `${key},`, /key 2 of 2 is not 32 bytes/],
    ['ENCRYPTION_KEY', `${key},secret`, /key 2 of 2 is not 32 bytes/],
    ['REDIS_URL', 'http://:secret@redis.example.com', /redis:\/\/:PASSWORD@HOST:PORT/],
    ['REDIS_URL', 'redis:secret', /redis:\/\/:PASSWORD@HOST:PORT/],
    ['REDIS_URL', 'redis://:50%secret@redis.example.com', /in a password, write % as %25/],
    ['REDIS_URL', 'redis://redis.example.com/secret', /redis:\/\/:PASSWORD@HOST:PORT/],
    ['REDIS_ALLOW_VOLATILE', 'yes', /"yes" is neither true nor false/],
    ['SLACK_ADMIN_IDS', 'U1,@ana', /entry 2 is not a Slack user id/],
    ['LOG_LEVEL', 'loud', /"loud" is not one of debug, info, warn, error/],
    ['PORT', '65536', /"65536" is not a whole number from 0 to 65535/],
    ['SMS_RATE_LIMIT', '0', /"0" is not a whole number from 1 to/],
    ['SMS_RATE_WINDOW_MS', '1e3', /"1e3" is not a whole number/],
    ['SMS_TIMEOUT_MS', '-5', /"-5" is not a whole number/],
    ['BALANCE_POLL_MS', '1.5', /"1.5" is not a whole number/],
    ['DRAFT_TTL_MS', '99999999999', /is not a whole number/],
    ['REPEAT_GUARD_HOURS', '169', /"169" is not a whole number from 0 to 168/],
    ['LIST_UNDO_SECONDS', '61', /is not a whole number from 0 to 60/],
    ['PORT', 'xoxb-put-here-by-mistake', /^PORT is not usable: the value is not a whole number/],
  ])('refuses %s=%s', (name, value, sentence) => {
    const problems = problemsOf({ ...http, [name]: value });
    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
    expect(problems[0]).not.toMatch(/secret|mistake/);
    expect(problems[0]).not.toContain(key);
  });

  it('refuses a lease that does not outlive the request by half a second', () => {
    expect(problemsOf({ ...http, SMS_TIMEOUT_MS: '15000', SMS_ATTEMPT_LEASE_MS: '15499' })).toEqual([
      'SMS_ATTEMPT_LEASE_MS is 15499 but must be at least SMS_TIMEOUT_MS + 500, so 15500.',
    ]);
    expect(problemsOf({ ...http, SMS_TIMEOUT_MS: '29501' })).toHaveLength(1);
    expect(problemsOf({ ...http, SMS_TIMEOUT_MS: '15000', SMS_ATTEMPT_LEASE_MS: '15500' })).toEqual([]);
  });

  it('knows the sandbox, which has no other host form', () => {
    expect(real({ ...http, SMS_BASE_URL: 'sandbox' }).sms.baseUrl).toBe('sandbox');
    expect(
      problemsOf({ ...http, SMS_BASE_URL: 'sandbox', SMS_BASE_URL_ALT: 'https://sms.example.com/api/v1' }),
    ).toEqual([expect.stringMatching(/^SMS_BASE_URL_ALT does not go with/)]);
  });

  it('refuses what only Redis needs if REDIS_URL is missing', () => {
    const env = { ...http, REDIS_REPLICAS: '1', REDIS_ALLOW_VOLATILE: 'true' };
    expect(problemsOf(env)).toEqual([
      'REDIS_ALLOW_VOLATILE does nothing without REDIS_URL: set that too, or leave REDIS_ALLOW_VOLATILE out.',
      'REDIS_REPLICAS does nothing without REDIS_URL: set that too, or leave REDIS_REPLICAS out.',
    ]);
    expect(problemsOf({ ...env, REDIS_URL: 'redis://redis.example.com' })).toEqual([]);
    expect(problemsOf({ ...http, REDIS_REPLICAS: '0', REDIS_ALLOW_VOLATILE: 'false' })).toEqual([]);
  });

  it('warns if the look-up forgets before the history does', () => {
    expect(real({ ...http, LOOKUP_DAYS: '30' }).warnings).toEqual([
      'LOOKUP_DAYS is less than RETENTION_DAYS: /sms history <number> goes back 30 days only, though texts are kept for 90.',
    ]);
    expect(real({ ...http, LOOKUP_DAYS: '90' }).warnings).toEqual([]);
  });

  it('allows plain http on this machine only', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.9.10', '[::1]']) {
      expect(real({ ...http, SLACK_API_URL: `http://${host}:4000/api/` }).slack.apiUrl).toContain(host);
      expect(real({ ...http, SMS_BASE_URL: `http://${host}:4000/api/v1` }).sms.baseUrl).toContain(host);
    }
  });
});

describe('METRICS_PORT', () => {
  it('can’t be the port of the other paths, even if that is the default', () => {
    const said = [expect.stringMatching(/^METRICS_PORT and PORT are both (3000|8080): /)];
    expect(problemsOf({ ...http, METRICS_PORT: '3000' })).toEqual(said);
    expect(problemsOf({ ...http, METRICS_PORT: '8080', PORT: '08080' })).toEqual(said);
    expect(problemsOf({ ...http, METRICS_PORT: '0', PORT: '0' })).toEqual([]);
    expect(problemsOf({ ...http, METRICS_PORT: '9464' })).toEqual([]);
  });
});

describe('loadEnvFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-env-'));
  afterEach(() => {
    delete process.env.SWITCHBOARD_TEST_A;
    delete process.env.SWITCHBOARD_TEST_B;
    rmSync(folder, { recursive: true, force: true });
  });

  it('adds the file’s variables; the environment wins; a missing file is no problem', () => {
    const file = join(folder, '.env');
    writeFileSync(file, 'SWITCHBOARD_TEST_A=file\nSWITCHBOARD_TEST_B="file b"\n');
    process.env.SWITCHBOARD_TEST_A = 'environment';
    loadEnvFile(file);
    loadEnvFile(join(folder, 'none'));
    expect(process.env.SWITCHBOARD_TEST_A).toBe('environment');
    expect(process.env.SWITCHBOARD_TEST_B).toBe('file b');
  });

  it('a variable that is empty in the environment counts as not set, so the file’s counts', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'switchboard-env-')), '.env');
    writeFileSync(file, 'SWITCHBOARD_TEST_A=file\nSWITCHBOARD_TEST_B=\n=no name\n');
    process.env.SWITCHBOARD_TEST_A = ' ';
    process.env.SWITCHBOARD_TEST_B = '';
    loadEnvFile(file);
    rmSync(dirname(file), { recursive: true });
    expect(process.env.SWITCHBOARD_TEST_A).toBe('file');
    expect(process.env.SWITCHBOARD_TEST_B).toBe('');
  });

  it('says in one sentence that the file can’t be read, before the bot and a command', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'switchboard-env-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    mkdirSync(join(cwd, '.env'));
    for (const words of [['start.js'], ['admin.ts', 'status']]) {
      const [file = '', ...more] = words;
      const program = new URL(`../src/${file}`, import.meta.url).pathname;
      const ended = spawnSync(process.execPath, [program, ...more], { cwd, env: http, encoding: 'utf8' });
      expect(ended.stderr).toBe(".env can't be read: make it a file that this account may read.\n");
      expect(ended.status).toBe(1);
    }
  });

  it('the first variable of a file that begins with a byte order mark counts; the environment wins', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'switchboard-env-')), '.env');
    writeFileSync(file, '\uFEFFSWITCHBOARD_TEST_A=file\nSWITCHBOARD_TEST_B=b\n');
    loadEnvFile(file);
    rmSync(dirname(file), { recursive: true });
    const marked = '\uFEFFSWITCHBOARD_TEST_A';
    expect(process.env[marked]).toBe('file');
    delete process.env[marked];

    const { SMS_BASE_URL, ...rest } = http;
    const env = { ...rest, '\uFEFFSMS_BASE_URL': SMS_BASE_URL };
    expect(real(env).sms.baseUrl).toBe(SMS_BASE_URL);
    expect(real({ ...rest, '\uFEFFexport SMS_BASE_URL': SMS_BASE_URL }).sms.baseUrl).toBe(SMS_BASE_URL);
    const other = 'https://other.example/api/v1';
    expect(real({ ...env, SMS_BASE_URL: other }).sms.baseUrl).toBe(other);
    expect(real({ SMS_BASE_URL: other, ...env }).sms.baseUrl).toBe(other);
  });
});

describe('the old names of variables', () => {
  const old = { SMS_ADMINS: 'U1', LEASE_MS: '20000' };
  const works = 'the old name works until the next release.';
  const warnings = [
    `SMS_ADMINS is called SLACK_ADMIN_IDS now; ${works}`,
    `LEASE_MS is called SMS_ATTEMPT_LEASE_MS now; ${works}`,
  ];

  it('work, with a warning for each', () => {
    expect(real({ ...http, ...old })).toMatchObject({
      core: { admins: ['U1'], limits: { leaseMs: 20_000 } },
      warnings,
    });
    expect(real(http).warnings).toEqual([]);
  });

  it('do not count if the new ones are set', () => {
    const config = real({ ...http, ...old, SLACK_ADMIN_IDS: 'U2', SMS_ATTEMPT_LEASE_MS: '25000' });
    expect(config).toMatchObject({
      core: { admins: ['U2'], limits: { leaseMs: 25_000 } },
      warnings: [
        'SMS_ADMINS is called SLACK_ADMIN_IDS now; both are set, so SMS_ADMINS does not count.',
        'LEASE_MS is called SMS_ATTEMPT_LEASE_MS now; both are set, so LEASE_MS does not count.',
      ],
    });
  });

  it('are explained beside a problem with their values', () => {
    expect(problemsOf({ ...http, LEASE_MS: 'soon' })).toEqual([
      'SMS_ATTEMPT_LEASE_MS is not usable: "soon" is not a whole number from 600 to 600000.',
      warnings[1],
    ]);
  });

  it('do not turn the playground into a bot', () => {
    expect(readConfig(old).mode).toBe('playground');
  });

  it('are warned of once each in the log at the start', () => {
    const main = new URL('../src/main.ts', import.meta.url).pathname;
    // The start ends by itself: the bot can't make its folder.
    const env = { ...http, ...old, DATA_DIR: '/dev/null/data', NODE_COMPILE_CACHE: COMPILE_CACHE };
    const { stdout, stderr, status } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
    expect(status, stderr).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual(warnings.map((warning) => [40, warning]));
  });
});
