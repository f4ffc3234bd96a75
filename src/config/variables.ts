import { z } from 'zod';
import { parseEncryptionKeys } from '../records/encryption.ts';
import { parseBaseUrl } from '../sms/base-url.ts';
import {
  anyText,
  beginsWith,
  integer,
  oneOf,
  optional,
  parsed,
  redisUrl,
  required,
  slackUrl,
  slackUsers,
  trueOrFalse,
} from './values.ts';

/** A request's lease must outlive the request's deadline by at least this, in ms. */
export const LEASE_MARGIN_MS = 500;

/**
 * Every variable that the bot reads, with its `description` and its default, the `fallback`. The table in
 * docs/configuration.md repeats them. `read-config.ts` says which of the required variables a bot needs.
 */
export const variables = z.object({
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
    'turns on Socket Mode; without it, Slack calls /slack/events by HTTP (api.slack.com/apps → your app → Basic ' +
      'Information → App-Level Tokens, scope connections:write)',
    beginsWith('xapp-'),
  ),
  SLACK_CLIENT_ID: required(
    'the client id of your Slack app. With it, any number of workspaces can install the bot at /slack/install. ' +
      'Needs SLACK_CLIENT_SECRET and SLACK_STATE_SECRET; works by HTTP only, without SLACK_BOT_TOKEN ' +
      '(api.slack.com/apps → your app → Basic Information → App Credentials)',
    anyText,
  ),
  SLACK_CLIENT_SECRET: required('the client secret that goes with SLACK_CLIENT_ID (same page)', anyText),
  SLACK_STATE_SECRET: required(
    'goes with SLACK_CLIENT_ID: a long random text that signs the state that a browser carries to Slack and back ' +
      '(make it with: openssl rand -base64 32)',
    anyText,
  ),
  SLACK_API_URL: optional(
    "base of Slack's Web API; GovSlack has https://slack-gov.com/api/",
    'https://slack.com/api/',
    slackUrl,
  ),
  PORT: optional('HTTP port, also for /healthz and /readyz; 0 = any free one', '3000', integer(0, 65_535)),
  SMS_BASE_URL: required(
    'base URL of your messaging credit service: https, ends in /api/v1; your provider has it. In a checkout, the ' +
      'word sandbox starts a fake service that costs nothing',
    parsed((text) => (text === 'sandbox' ? text : parseBaseUrl(text))),
  ),
  SMS_BASE_URL_ALT: optional(
    'second base URL of the service, if it has one',
    undefined,
    parsed(parseBaseUrl),
  ),
  SMS_RATE_LIMIT: optional('requests per window and API key', '60', integer(1, 10_000)),
  SMS_RATE_WINDOW_MS: optional('length of that window, in ms', '60000', integer(100, 3_600_000)),
  SMS_TIMEOUT_MS: optional('timeout of a request to the service, in ms', '15000', integer(100, 120_000)),
  ENCRYPTION_KEY: required(
    'encrypts stored API keys: 32 bytes in base64 (make them with: openssl rand -base64 32). For several keys, ' +
      'separate them by commas: the bot encrypts with the first and decrypts with any',
    parsed(parseEncryptionKeys),
  ),
  DATA_DIR: optional('folder of the database, on a local disk', './data', anyText),
  REDIS_URL: optional(
    'a Redis to use instead of the database, so that several bots can share it: a redis:// or rediss:// URL, ' +
      'with the password if Redis needs one',
    undefined,
    redisUrl,
  ),
  REDIS_ALLOW_VOLATILE: optional(
    'true: use a Redis that may forget acknowledged writes. After a power cut the bot can then text somebody twice',
    'false',
    trueOrFalse,
  ),
  REDIS_REPLICAS: optional(
    'how many Redis replicas must confirm each write before the bot sends a text. Set it to the number of replicas ' +
      'that may take over, so that each of them has every write',
    '0',
    integer(0, 10),
  ),
  SLACK_ADMIN_IDS: optional(
    'Slack user ids, comma separated: admins in addition to those of the workspace',
    undefined,
    slackUsers,
  ),
  BALANCE_POLL_MS: optional('how often the bot reads balances, in ms', '300000', integer(1_000, 86_400_000)),
  DRAFT_TTL_MS: optional('how long people can send a draft, in ms', '900000', integer(1_000, 86_400_000)),
  REPEAT_GUARD_HOURS: optional(
    'for this many hours after a text, the bot asks before it sends the same words to that number. A list leaves ' +
      'such recipients out; 0 = never',
    '24',
    integer(0, 168),
  ),
  LIST_UNDO_SECONDS: optional(
    'how long a list waits after Send, in seconds, so that it can be undone; admins can set it per channel',
    '10',
    integer(0, 60),
  ),
  BULK_CHUNK_SIZE: optional('messages in one request of a bulk job', '100', integer(1, 100)),
  BULK_MESSAGE_LENGTH: optional(
    'longest text in a bulk job, in characters; the service documents 1000 for single texts only',
    '1000',
    integer(1, 10_000),
  ),
  SMS_BULK_MIN_RECIPIENTS: optional(
    'in lists with fewer recipients each text goes in its own request, so that each gets its own answer',
    '51',
    integer(1, 100_000),
  ),
  SMS_BULK_REFUSALS: optional(
    'unproven: the service may have sent part of a list that it refused. Those texts are unknown, and the job ' +
      'pauses. atomic: your provider promised to send nothing of a refused list. Admins can set it per instance',
    'unproven',
    oneOf(['unproven', 'atomic']),
  ),
  SMS_ATTEMPT_LEASE_MS: optional(
    `after how many ms without an answer a request counts as unknown; at least SMS_TIMEOUT_MS + ${LEASE_MARGIN_MS}`,
    '30000',
    integer(600, 600_000),
  ),
  RETENTION_DAYS: optional(
    'how many days the bot keeps words, numbers and lists after sending; admins can set fewer in /sms settings',
    '90',
    integer(3, 3650),
  ),
  LOOKUP_DAYS: optional(
    'how many days the bot can tell when a number was texted, and who sent it. The bot does not store the number itself',
    '400',
    integer(3, 3650),
  ),
  METRICS_PORT: optional(
    'port of GET /metrics for Prometheus; 0 = any free one, not set = no metrics',
    undefined,
    integer(0, 65_535),
  ),
  METRICS_HOST: optional('address that METRICS_PORT listens on', '127.0.0.1', anyText),
  LOG_LEVEL: optional('debug, info, warn or error', 'info', oneOf(['debug', 'info', 'warn', 'error'])),
});
