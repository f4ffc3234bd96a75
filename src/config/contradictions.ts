import { LEASE_MARGIN_MS, variables } from './variables.ts';

type Given = Readonly<Partial<Record<string, string>>>;

/** With these variables, workspaces install the bot themselves. Each needs the two others. */
const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;
/** Variables that must not be set beside `OAUTH`, with the reason. */
const NOT_WITH_OAUTH = {
  SLACK_BOT_TOKEN: 'each workspace gets its own token',
  SLACK_APP_TOKEN: 'it works by HTTP only, not in Socket Mode',
};

/** These do nothing without a Redis, so whoever sets them has forgotten `REDIS_URL`. */
const ONLY_WITH_REDIS = ['REDIS_ALLOW_VOLATILE', 'REDIS_REPLICAS'] as const;

/** Whether workspaces install the bot themselves. */
export function usesOAuth(given: Given): boolean {
  return OAUTH.some((name) => given[name] !== undefined);
}

/** A sentence for each contradiction between variables. */
export function contradictions(given: Given): string[] {
  const problems: string[] = [];
  if (given.SMS_BASE_URL === 'sandbox' && given.SMS_BASE_URL_ALT) {
    problems.push('SMS_BASE_URL_ALT does not go with SMS_BASE_URL=sandbox: leave it out.');
  }
  for (const [name, why] of Object.entries(NOT_WITH_OAUTH)) {
    if (!usesOAuth(given) || given[name] === undefined) continue;
    problems.push(
      `${name} does not go with ${OAUTH.join(', ')}. With those three, workspaces install the bot themselves: ${why}. Leave it out, or leave those three out.`,
    );
  }
  for (const name of ONLY_WITH_REDIS) {
    const isSet = Boolean(variables.shape[name].safeParse(given[name]).data);
    if (!isSet || given.REDIS_URL !== undefined) continue;
    problems.push(`${name} does nothing without REDIS_URL: set that too, or leave ${name} out.`);
  }
  const port = variables.shape.PORT.safeParse(given.PORT).data;
  const metricsPort = variables.shape.METRICS_PORT.safeParse(given.METRICS_PORT).data;
  if (port !== undefined && port !== 0 && port === metricsPort) {
    problems.push(`METRICS_PORT and PORT are both ${port}: give each a port of its own.`);
  }
  const lease = variables.shape.SMS_ATTEMPT_LEASE_MS.safeParse(given.SMS_ATTEMPT_LEASE_MS).data;
  const timeout = variables.shape.SMS_TIMEOUT_MS.safeParse(given.SMS_TIMEOUT_MS).data;
  if (lease !== undefined && timeout !== undefined && lease < timeout + LEASE_MARGIN_MS) {
    problems.push(
      `SMS_ATTEMPT_LEASE_MS is ${lease} but must be at least SMS_TIMEOUT_MS + ${LEASE_MARGIN_MS}, so ${timeout + LEASE_MARGIN_MS}.`,
    );
  }
  return problems;
}
