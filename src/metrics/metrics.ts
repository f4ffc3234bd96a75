import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What is read each time somebody asks for the metrics. Ages in seconds, zero where nothing waits. */
export interface Readings {
  balances: { userId: number; credits: number }[];
  /** Requests that are decided and wait for a permit or their turn. */
  waiting: { interactive: number; background: number };
  jobLag: number;
  outboxLag: number;
}

/** What happened to messages in one settled request. */
export interface SettledMessages {
  sent: number;
  rejected: number;
  not_sent: number;
  unknown: number;
  /** Credits that the answer said were used. */
  creditsUsed: number;
}

/** Slack waits three seconds for an ack; a fast ack takes a few milliseconds. */
const ACK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The bot's figures for Prometheus. No label or value holds a key, a text, a number or a name. `read` is asked at each
 * scrape, and a scrape fails with it.
 */
export function createMetrics(read: () => Promise<Readings>) {
  const registry = new Registry();
  const registers = [registry];
  const acks = new Histogram({
    name: 'switchboard_ack_seconds',
    help: "Time from Slack's request to its ack",
    labelNames: ['kind'],
    buckets: ACK_BUCKETS,
    registers,
  });
  const messages = new Counter({
    name: 'switchboard_messages_total',
    help: 'Messages that got an outcome from a request of this process',
    labelNames: ['outcome'],
    registers,
  });
  const credits = new Counter({
    name: 'switchboard_credits_used_total',
    help: 'Credits that answers to this process said were used',
    registers,
  });
  const givenUp = new Counter({
    name: 'switchboard_outbox_given_up_total',
    help: 'Messages to Slack that this process gave up after a day',
    registers,
  });
  const slack = new Histogram({
    name: 'switchboard_slack_call_seconds',
    help: 'Calls to Slack',
    labelNames: ['method', 'outcome'],
    buckets: CALL_BUCKETS,
    registers,
  });
  const service = new Histogram({
    name: 'switchboard_service_call_seconds',
    help: 'Requests to the messaging credit service',
    labelNames: ['endpoint', 'outcome'],
    buckets: CALL_BUCKETS,
    registers,
  });
  const balance = new Gauge({
    name: 'switchboard_balance_credits',
    help: "Credits as last known, by the account's user id",
    labelNames: ['account'],
    registers,
  });
  const waiting = new Gauge({
    name: 'switchboard_permits_waiting',
    help: 'Requests that are decided and wait for a permit or their turn',
    // The label keeps its name: dashboards outside ask for it.
    labelNames: ['audience'],
    registers,
  });
  const jobLag = new Gauge({
    name: 'switchboard_job_lag_seconds',
    help: 'How long ago the oldest running job that has something left to send was confirmed',
    registers,
  });
  const outboxLag = new Gauge({
    name: 'switchboard_outbox_lag_seconds',
    help: 'How long the oldest message to Slack has been due',
    registers,
  });

  return {
    /** Slack's request was answered `seconds` after all of it was there. */
    acked: (kind: string, seconds: number) => acks.observe({ kind }, seconds),
    settled({ creditsUsed, ...outcomes }: SettledMessages) {
      for (const [outcome, count] of Object.entries(outcomes)) messages.inc({ outcome }, count);
      credits.inc(creditsUsed);
    },
    /** A message to Slack was given up after a day. */
    gaveUp: () => givenUp.inc(),
    slackCalled: ({ method, outcome, seconds }: { method: string; outcome: string; seconds: number }) =>
      slack.observe({ method, outcome }, seconds),
    serviceCalled: ({ endpoint, outcome, seconds }: { endpoint: string; outcome: string; seconds: number }) =>
      service.observe({ endpoint, outcome }, seconds),
    /** All of it in Prometheus's text format. */
    async text(): Promise<string> {
      const now = await read();
      // An account that is gone must not keep its last figure.
      balance.reset();
      for (const { userId, credits: left } of now.balances) balance.set({ account: userId }, left);
      for (const [priority, count] of Object.entries(now.waiting)) {
        waiting.set({ audience: priority }, count);
      }
      jobLag.set(now.jobLag);
      outboxLag.set(now.outboxLag);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
