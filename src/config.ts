import { existsSync } from 'node:fs';
import { z } from 'zod';
import { parseEncryptionKeys } from './records/encryption.ts';
import { isLoopback, parseBaseUrl } from './sms/base-url.ts';

/** The claim of a request must outlive the request's own deadline by this much, in milliseconds. */
const LEASE_MARGIN_MS = 500;

/** The environment lacks something or holds something unusable: one line a problem, none of which repeats a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'bad_config';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Every variable that the bot reads, with its `description` and, as `fallback`, what holds without it; the README's
 * table says the same. Of SLACK_SIGNING_SECRET and SLACK_APP_TOKEN only one is needed, and SLACK_BOT_TOKEN or the three
 * of `OAUTH`.
 */
export const environment = z.object({
  SLACK_BOT_TOKEN: required(
    'the token that the bot acts with (api.slack.com/apps → your app → OAuth & Permissions → Bot User OAuth Token)',
    beginsWith('xoxb-'),
  ),
  SLACK_SIGNING_SECRET: required(
    'the signing secret of your Slack app (api.slack.com/apps → your app → Basic Information → App Credentials); ' +
      'not needed with SLACK_APP_TOKEN',
    anyText,
  ),
  SLACK_APP_TOKEN: required(
    'turns on Socket Mode, else Slack calls /slack/events by HTTP ' +
      '(api.slack.com/apps → your app → Basic Information → App-Level Tokens, scope connections:write)',
    beginsWith('xapp-'),
  ),
  SLACK_CLIENT_ID: required(
    'with SLACK_CLIENT_SECRET and SLACK_STATE_SECRET: any number of workspaces install the bot at /slack/install, by ' +
      'HTTP and without SLACK_BOT_TOKEN (api.slack.com/apps → your app → Basic Information → App Credentials)',
    anyText,
  ),
  SLACK_CLIENT_SECRET: required('the client secret that goes with SLACK_CLIENT_ID (same page)', anyText),
  SLACK_STATE_SECRET: required(
    'goes with SLACK_CLIENT_ID: a long random text that installations are protected with (make it with: openssl rand -base64 32)',
    anyText,
  ),
  SLACK_API_URL: optional("base of Slack's Web API", 'https://slack.com/api/', slackUrl),
  PORT: optional('HTTP port, also of /healthz and /readyz; 0 = any free one', '3000', integer(0, 65_535)),
  SMS_BASE_URL: required(
    'where your messaging credit service is: an https URL that ends in /api/v1, from your provider; ' +
      'or the word sandbox to try everything without money',
    (text) => (text === 'sandbox' ? text : parseBaseUrl(text)),
  ),
  SMS_BASE_URL_ALT: optional("the service's other host form, if it has one", undefined, parseBaseUrl),
  SMS_RATE_LIMIT: optional('requests per window and API key', '60', integer(1, 10_000)),
  SMS_RATE_WINDOW_MS: optional('length of that window, in ms', '60000', integer(100, 3_600_000)),
  SMS_TIMEOUT_MS: optional('deadline of a request to the service, in ms', '15000', integer(100, 120_000)),
  ENCRYPTION_KEY: required(
    'what API keys are encrypted with: 32 bytes in base64 (make them with: openssl rand -base64 32); ' +
      'of several, comma separated, the first encrypts and all decrypt',
    parseEncryptionKeys,
  ),
  DATA_DIR: optional('folder of the database, on a local disk', './data', anyText),
  REDIS_URL: optional(
    'a Redis that any number of bots share in place of the database: redis:// or rediss://, with its password if it has one',
    undefined,
    redisUrl,
  ),
  REDIS_ALLOW_VOLATILE: optional(
    'true: take a Redis that may forget what it acknowledged, though a power cut can then text somebody twice',
    'false',
    yesOrNo,
  ),
  REDIS_REPLICAS: optional(
    'how many replicas of that Redis must have what is written before a text is sent: a replica that takes over then knows it',
    '0',
    integer(0, 10),
  ),
  SMS_ADMINS: optional(
    'Slack user ids, comma separated: admins beside those of the workspace',
    undefined,
    slackUsers,
  ),
  BALANCE_POLL_MS: optional('how often balances are read, in ms', '300000', integer(1_000, 86_400_000)),
  DRAFT_TTL_MS: optional('how long a draft can be confirmed, in ms', '900000', integer(1_000, 86_400_000)),
  BULK_CHUNK_SIZE: optional('messages in one request of a bulk job', '100', integer(1, 100)),
  BULK_MESSAGE_LENGTH: optional(
    'longest text in a bulk job, in characters; the service documents 1000 for single texts only',
    '1000',
    integer(1, 10_000),
  ),
  SMS_BULK_MIN_RECIPIENTS: optional(
    'lists with fewer recipients go one text a request, so that each has an answer of its own',
    '51',
    integer(1, 100_000),
  ),
  SMS_BULK_REFUSALS: optional(
    'unproven: a refused list may have been sent in part, so its texts are unknown and the job pauses; ' +
      'atomic: your provider promised that it sends none of a list that it refuses. Admins can set it per instance',
    'unproven',
    refusalMode,
  ),
  LEASE_MS: optional(
    `when an unanswered request counts as unknown, in ms; at least SMS_TIMEOUT_MS + ${LEASE_MARGIN_MS}`,
    '30000',
    integer(600, 600_000),
  ),
  METRICS_PORT: optional(
    'port of GET /metrics for Prometheus; 0 = any free one, not set = no metrics',
    undefined,
    integer(0, 65_535),
  ),
  METRICS_HOST: optional('address that METRICS_PORT listens on', '127.0.0.1', anyText),
  LOG_LEVEL: optional('debug, info, warn or error', 'info', logLevel),
});

/** What the bot is told from outside. Times are in milliseconds. */
export type Config = PlaygroundConfig | RealConfig;

/** Nothing of Slack's is configured: a local workspace to play in. */
export type PlaygroundConfig = ReturnType<typeof readPlaygroundConfig>;

export type RealConfig = ReturnType<typeof readRealConfig>;

/**
 * The configuration that `env` describes: 'real' with any SLACK_* variable or NODE_ENV=production, else 'playground'.
 * A variable that is empty counts as not set.
 * @throws ConfigError with every problem at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given: Given = {};
  for (const [name, value] of Object.entries(env)) {
    if (value?.trim()) given[name] = value.trim();
  }
  const real =
    given.NODE_ENV === 'production' || Object.keys(given).some((name) => name.startsWith('SLACK_'));
  return real ? readRealConfig(given) : readPlaygroundConfig(given);
}

/** Adds the variables of an env file, where there is one, to `process.env`; what is there already wins. */
export function loadEnvFile(path = '.env'): void {
  if (existsSync(path)) process.loadEnvFile(path);
}

type Given = Record<string, string>;

function readPlaygroundConfig({ PORT, DATA_DIR }: Given) {
  const given = { ...(PORT ? { PORT } : {}), ...(DATA_DIR ? { DATA_DIR } : {}) };
  const values = check(environment.pick({ PORT: true, DATA_DIR: true }), given);
  return {
    mode: 'playground' as const,
    /** Of the page; 0 = any free one. */
    port: values.PORT,
    dataDir: values.DATA_DIR,
  };
}

/** Where workspaces install the bot themselves, all of these are set. */
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;
/** What one workspace does without. */
const ofOneWorkspace = environment.omit({
  SLACK_CLIENT_ID: true,
  SLACK_CLIENT_SECRET: true,
  SLACK_STATE_SECRET: true,
});
const usesOAuth = (given: Given) => OAUTH.some((name) => given[name] !== undefined);

function readValues(given: Given) {
  if (usesOAuth(given))
    return check(environment.omit({ SLACK_BOT_TOKEN: true, SLACK_APP_TOKEN: true }), given);
  return given.SLACK_APP_TOKEN
    ? check(ofOneWorkspace.omit({ SLACK_SIGNING_SECRET: true }), given)
    : check(ofOneWorkspace.omit({ SLACK_APP_TOKEN: true }), given);
}

function membershipOf(
  values: ReturnType<typeof readValues>,
):
  | { botToken: string; oauth?: never }
  | { botToken?: never; oauth: { clientId: string; clientSecret: string; stateSecret: string } } {
  if ('SLACK_BOT_TOKEN' in values) return { botToken: values.SLACK_BOT_TOKEN };
  const {
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: stateSecret,
  } = values;
  return { oauth: { clientId, clientSecret, stateSecret } };
}

function readRealConfig(given: Given) {
  const values = readValues(given);
  const transport =
    'SLACK_APP_TOKEN' in values
      ? { kind: 'socket' as const, appToken: values.SLACK_APP_TOKEN }
      : { kind: 'http' as const, signingSecret: values.SLACK_SIGNING_SECRET };
  return {
    mode: 'real' as const,
    slack: {
      apiUrl: values.SLACK_API_URL,
      transport,
      /** The one workspace's token, or what all workspaces install the bot with. */
      ...membershipOf(values),
    },
    /** 0 = any free one. */
    port: values.PORT,
    sms: {
      /** The service's base URL; or 'sandbox': the service is imitated in the process and nothing is sent. */
      baseUrl: values.SMS_BASE_URL,
      baseUrlAlt: values.SMS_BASE_URL_ALT,
      timeoutMs: values.SMS_TIMEOUT_MS,
    },
    /** Of bulk jobs: messages in a request, the longest text in characters, and the fewest recipients for such requests. */
    bulk: {
      chunkSize: values.BULK_CHUNK_SIZE,
      mostCharacters: values.BULK_MESSAGE_LENGTH,
      minRecipients: values.SMS_BULK_MIN_RECIPIENTS,
    },
    /** How providers refuse lists, where no admin has said anything of the instance. */
    bulkRefusals: values.SMS_BULK_REFUSALS,
    /** Of 32 bytes each: the first encrypts, all decrypt. */
    encryptionKeys: values.ENCRYPTION_KEY,
    dataDir: values.DATA_DIR,
    /** The shared store, where there is one; its URL may hold a password. */
    redis:
      values.REDIS_URL === undefined
        ? undefined
        : {
            url: values.REDIS_URL,
            allowVolatile: values.REDIS_ALLOW_VOLATILE,
            replicas: values.REDIS_REPLICAS,
          },
    /** Slack user ids. */
    admins: values.SMS_ADMINS ?? [],
    /** What the ledger enforces; `permits` per window and API key. */
    limits: {
      permits: values.SMS_RATE_LIMIT,
      windowMs: values.SMS_RATE_WINDOW_MS,
      leaseMs: values.LEASE_MS,
      timeoutMs: values.SMS_TIMEOUT_MS,
    },
    balancePollMs: values.BALANCE_POLL_MS,
    draftTtlMs: values.DRAFT_TTL_MS,
    /** Where the metrics are served, if they are. */
    metrics:
      values.METRICS_PORT === undefined
        ? undefined
        : { port: values.METRICS_PORT, host: values.METRICS_HOST },
    logLevel: values.LOG_LEVEL,
  };
}

function check<T extends z.ZodType>(schema: T, given: Given): z.output<T> {
  const parsed = schema.safeParse(given);
  const problems = parsed.error?.issues.map((issue) => `${issue.path.join()} ${issue.message}`) ?? [];
  problems.push(...contradictions(given));
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new ConfigError(problems);
}

/** What is wrong between variables that are right by themselves. */
function contradictions(given: Given): string[] {
  const problems: string[] = [];
  if (given.SMS_BASE_URL === 'sandbox' && given.SMS_BASE_URL_ALT) {
    problems.push('SMS_BASE_URL_ALT does not go with SMS_BASE_URL=sandbox: leave it out.');
  }
  if (usesOAuth(given)) {
    for (const name of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN']) {
      if (given[name] === undefined) continue;
      const why =
        name === 'SLACK_BOT_TOKEN'
          ? 'each workspace gets its own token'
          : 'it works by HTTP only, not in Socket Mode';
      problems.push(
        `${name} does not go with ${OAUTH.join(', ')}: where workspaces install the bot themselves, ${why}. Leave it out, or leave those three out.`,
      );
    }
  }
  const lease = environment.shape.LEASE_MS.safeParse(given.LEASE_MS);
  const timeout = environment.shape.SMS_TIMEOUT_MS.safeParse(given.SMS_TIMEOUT_MS);
  if (lease.success && timeout.success && lease.data < timeout.data + LEASE_MARGIN_MS) {
    const least = timeout.data + LEASE_MARGIN_MS;
    problems.push(
      `LEASE_MS is ${lease.data} but must be at least SMS_TIMEOUT_MS + ${LEASE_MARGIN_MS}, so ${least}.`,
    );
  }
  return problems;
}

function required<T>(description: string, parse: (text: string) => T) {
  return variable(description, parse).meta({ description, fallback: undefined });
}

/** `fallback` is read as if it had been given. */
function optional<T, F extends string | undefined>(
  description: string,
  fallback: F,
  parse: (text: string) => T,
) {
  const parsed = variable(description, parse);
  const schema = fallback === undefined ? parsed.optional() : parsed.prefault(fallback);
  type Value = F extends string ? T : T | undefined;
  return (schema as z.ZodType<Value, string | undefined>).meta({ description, fallback });
}

/** Text that `parse` turns into a value; the sentence that it throws goes on after the variable's name. */
function variable<T>(description: string, parse: (text: string) => T) {
  return z.string({ error: `is missing: ${description}.` }).transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is not usable: ${(error as Error).message}` });
      return z.NEVER;
    }
  });
}

function anyText(text: string): string {
  return text;
}

function beginsWith(prefix: string) {
  return (text: string) => {
    if (text.startsWith(prefix)) return text;
    throw new Error(`it must begin with ${prefix}; see that it is not another of the app's tokens.`);
  };
}

function integer(least: number, most: number) {
  return (text: string) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new Error(`${shown(text)} is not a whole number from ${least} to ${most}.`);
  };
}

function slackUrl(text: string): string {
  const url = URL.parse(text);
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !safe || url.username || url.password || url.search || url.hash) {
    throw new Error(
      'it must be an https URL (plain http only to this machine) without user, query or fragment.',
    );
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

function redisUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.hostname && (url.protocol === 'redis:' || url.protocol === 'rediss:')) return text;
  throw new Error('it must read redis://HOST:PORT, or rediss:// with TLS.');
}

function yesOrNo(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`${shown(text)} is neither true nor false.`);
}

function slackUsers(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim());
  const wrong = ids.findIndex((id) => !/^[UW][A-Z0-9]+$/.test(id));
  if (wrong < 0) return ids;
  throw new Error(
    `entry ${wrong + 1} is not a Slack user id such as U012AB3CD (a person's profile → ⋮ → Copy member ID).`,
  );
}

function logLevel(text: string) {
  const level = (['debug', 'info', 'warn', 'error'] as const).find((name) => name === text);
  if (level) return level;
  throw new Error(`${shown(text)} is none of debug, info, warn, error.`);
}

function refusalMode(text: string) {
  const mode = (['unproven', 'atomic'] as const).find((name) => name === text);
  if (mode) return mode;
  throw new Error(`${shown(text)} is neither unproven nor atomic.`);
}

/** What was given, unless it is long enough to be a secret that stands in the wrong place. */
function shown(text: string): string {
  return text.length <= 12 ? JSON.stringify(text) : 'what is given';
}
