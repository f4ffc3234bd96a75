import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { contradictions, usesOAuth } from './contradictions.ts';
import { withNewNames } from './old-names.ts';
import { variables } from './variables.ts';

/** The environment lacks a variable, or holds one that is not usable. The message has a line for each, without secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings of the playground, a local workspace: no variable of Slack's is set. */
export type PlaygroundConfig = ReturnType<typeof readPlaygroundConfig>;

/** The bot's settings. Times are in milliseconds. `warnings`: sentences for the log, once, at the start. */
export type RealConfig = ReturnType<typeof readRealConfig>;

/** Some editors begin a file with this mark. Node takes it, and an `export` after it, for a part of the first name. */
const BYTE_ORDER_MARK = /^\uFEFF(?:export\s+)?/;

/**
 * The settings that `env` describes: 'real' with any SLACK_* variable or NODE_ENV=production, else 'playground'.
 * An empty variable counts as not set.
 * @throws ConfigError with every problem at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): PlaygroundConfig | RealConfig {
  const given: Given = {};
  for (const [written, value] of Object.entries(env)) {
    const name = written.replace(BYTE_ORDER_MARK, '');
    // A variable that is also set without the mark wins.
    if (value?.trim() && (name === written || !env[name])) given[name] = value.trim();
  }
  const real =
    given.NODE_ENV === 'production' || Object.keys(given).some((name) => name.startsWith('SLACK_'));
  return real ? readRealConfig(given) : readPlaygroundConfig(given);
}

/**
 * Adds the variables of an env file, if there is one, to `process.env`. A variable that is already set stays; an empty one
 * counts as not set.
 * @throws ConfigError
 */
export function loadEnvFile(path = '.env'): void {
  if (!existsSync(path)) return;
  try {
    const found = Object.entries(parseEnv(readFileSync(path, 'utf8')));
    for (const [name, value = ''] of found) if (!process.env[name]?.trim()) process.env[name] = value;
  } catch {
    throw new ConfigError(`${path} can't be read: make it a file that this account may read.`);
  }
}

type Given = Record<string, string>;

function readPlaygroundConfig({ PORT, DATA_DIR, LIST_UNDO_SECONDS }: Given) {
  const schema = variables.pick({ PORT: true, DATA_DIR: true, LIST_UNDO_SECONDS: true });
  const values = check(schema, { PORT, DATA_DIR, LIST_UNDO_SECONDS });
  return {
    mode: 'playground' as const,
    /** The page's port; 0 = any free one. */
    port: values.PORT,
    dataDir: values.DATA_DIR,
    listUndoSeconds: values.LIST_UNDO_SECONDS,
  };
}

/** The variables that this way to reach Slack needs, and those of all others. */
function schemaFor(given: Given) {
  if (usesOAuth(given)) return variables.omit({ SLACK_BOT_TOKEN: true, SLACK_APP_TOKEN: true });
  const ofOneWorkspace = variables.omit({
    SLACK_CLIENT_ID: true,
    SLACK_CLIENT_SECRET: true,
    SLACK_STATE_SECRET: true,
  });
  return given.SLACK_APP_TOKEN
    ? ofOneWorkspace.omit({ SLACK_SIGNING_SECRET: true })
    : ofOneWorkspace.omit({ SLACK_APP_TOKEN: true });
}

function readRealConfig(all: Given) {
  const { given, warnings } = withNewNames(all);
  const values = check(schemaFor(given), given, warnings);
  const { REDIS_URL: url, REDIS_ALLOW_VOLATILE: allowVolatile, REDIS_REPLICAS: replicas } = values;
  const { METRICS_PORT: port, METRICS_HOST: host } = values;
  const { RETENTION_DAYS: days, LOOKUP_DAYS: lookupDays } = values;
  if (lookupDays < days) {
    const goesBack = `/sms history <number> goes back ${lookupDays} days only, though texts are kept for ${days}`;
    warnings.push(`LOOKUP_DAYS is less than RETENTION_DAYS: ${goesBack}.`);
  }
  return {
    mode: 'real' as const,
    slack: {
      apiUrl: values.SLACK_API_URL,
      transport:
        'SLACK_APP_TOKEN' in values
          ? { kind: 'socket' as const, appToken: values.SLACK_APP_TOKEN }
          : { kind: 'http' as const, signingSecret: values.SLACK_SIGNING_SECRET },
      /** The token of the one workspace, or the app's secrets with which workspaces install the bot. */
      ...('SLACK_BOT_TOKEN' in values
        ? { botToken: values.SLACK_BOT_TOKEN, oauth: undefined }
        : {
            botToken: undefined,
            oauth: {
              clientId: values.SLACK_CLIENT_ID,
              clientSecret: values.SLACK_CLIENT_SECRET,
              stateSecret: values.SLACK_STATE_SECRET,
            },
          }),
    },
    /** 0 = any free one. */
    port: values.PORT,
    sms: {
      /** The service's base URL; or 'sandbox': the process imitates the service and sends nothing. */
      baseUrl: values.SMS_BASE_URL,
      baseUrlAlt: values.SMS_BASE_URL_ALT,
      timeoutMs: values.SMS_TIMEOUT_MS,
    },
    /** For core: see `CoreOptions`. */
    core: {
      bulk: {
        chunkSize: values.BULK_CHUNK_SIZE,
        mostCharacters: values.BULK_MESSAGE_LENGTH,
        minRecipients: values.SMS_BULK_MIN_RECIPIENTS,
      },
      bulkRefusals: values.SMS_BULK_REFUSALS,
      admins: values.SLACK_ADMIN_IDS ?? [],
      limits: {
        permits: values.SMS_RATE_LIMIT,
        windowMs: values.SMS_RATE_WINDOW_MS,
        leaseMs: values.SMS_ATTEMPT_LEASE_MS,
        timeoutMs: values.SMS_TIMEOUT_MS,
      },
      balancePollMs: values.BALANCE_POLL_MS,
      repeatGuardMs: values.REPEAT_GUARD_HOURS * 3_600_000,
      draftTtlMs: values.DRAFT_TTL_MS,
      listUndoMs: values.LIST_UNDO_SECONDS * 1000,
      retention: { days, lookupDays },
    },
    /** Keys of 32 bytes each: the first encrypts, all decrypt. */
    encryptionKeys: values.ENCRYPTION_KEY,
    dataDir: values.DATA_DIR,
    /** The Redis that bots share, if they do; the URL may hold a password. */
    redis: url === undefined ? undefined : { url, allowVolatile, replicas },
    metrics: port === undefined ? undefined : { port, host },
    logLevel: values.LOG_LEVEL,
    warnings,
  };
}

/** Problems use new names, so the warnings follow them: people who set an old name must recognise it. */
function check<T extends z.ZodType>(schema: T, given: Partial<Given>, warnings: string[] = []): z.output<T> {
  const parsed = schema.safeParse(given);
  const problems = parsed.error?.issues.map((issue) => `${issue.path.join()} ${issue.message}`) ?? [];
  problems.push(...contradictions(given));
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new ConfigError([...problems, ...warnings].join('\n'));
}
