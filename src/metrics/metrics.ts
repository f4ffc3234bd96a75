import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Settlement } from '../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../ledger/model/chunk-record.ts';
import { countSettled } from './count-settled.ts';
import { readStore, type Sources } from './read-store.ts';

/** Slack waits three seconds for an ack; a fast ack takes a few milliseconds. */
const ACK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The bot's figures for Prometheus. No label or value holds a key, a text, a number or a name. The store is read at each
 * scrape, and a scrape fails with it.
 */
export function createMetrics(sources: Sources) {
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
    /** A request was settled; `chunk` is its chunk after that. */
    settled(chunk: ChunkRecord, settlement: Settlement) {
      for (const [outcome, count] of Object.entries(countSettled(chunk, settlement)))
        messages.inc({ outcome }, count);
      if ('receipt' in settlement) credits.inc(settlement.receipt.creditsUsed);
    },
    /** A message to Slack was given up after a day. */
    gaveUp: () => givenUp.inc(),
    slackCalled: ({ method, outcome, seconds }: { method: string; outcome: string; seconds: number }) =>
      slack.observe({ method, outcome }, seconds),
    serviceCalled: ({ endpoint, outcome, seconds }: { endpoint: string; outcome: string; seconds: number }) =>
      service.observe({ endpoint, outcome }, seconds),
    /** All of it in Prometheus's text format. */
    async text(): Promise<string> {
      const now = await readStore(sources);
      // An account that is gone must not keep its last figure.
      balance.reset();
      for (const { userId, credits: left } of now.balances) balance.set({ account: userId }, left);
      for (const [audience, count] of Object.entries(now.waiting)) waiting.set({ audience }, count);
      jobLag.set(now.jobLag);
      outboxLag.set(now.outboxLag);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
