import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Settlement } from '../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../ledger/model/chunk-record.ts';
import type { ChunkState } from '../ledger/model/outcome-types.ts';
import { readStore, type Sources } from './read-store.ts';

/** Slack waits three seconds for an ack; a fast ack takes a few milliseconds. */
const ACK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/**
 * The bot's figures for Prometheus. No label or value holds a key, a text, a number or a name. Each scrape reads the store,
 * and fails if that fails.
 */
export function createMetrics(sources: Sources) {
  const registry = new Registry();
  const series = createSeries([registry]);

  return {
    /** Slack's request got its ack `seconds` after its last byte. */
    acked: (kind: string, seconds: number) => series.acks.observe({ kind }, seconds),
    /** A request was settled; `chunk` is its chunk after that. */
    settled(chunk: ChunkRecord, settlement: Settlement) {
      for (const [outcome, count] of Object.entries(countSettled(chunk, settlement)))
        series.messages.inc({ outcome }, count);
      if ('receipt' in settlement) series.credits.inc(settlement.receipt.creditsUsed);
    },
    /** The outbox gave up a message to Slack. */
    gaveUp: () => series.givenUp.inc(),
    slackCalled: ({ method, outcome, seconds }: { method: string; outcome: string; seconds: number }) =>
      series.slack.observe({ method, outcome }, seconds),
    serviceCalled: ({ endpoint, outcome, seconds }: { endpoint: string; outcome: string; seconds: number }) =>
      series.service.observe({ endpoint, outcome }, seconds),
    /** All figures in Prometheus's text format. */
    async text(): Promise<string> {
      const now = await readStore(sources);
      // An account that is gone must not keep its last figure.
      series.balance.reset();
      for (const { userId, credits } of now.balances) series.balance.set({ account: userId }, credits);
      for (const [audience, count] of Object.entries(now.waiting)) series.waiting.set({ audience }, count);
      series.unknown.set(now.unknown);
      series.jobLag.set(now.jobLag);
      series.outboxLag.set(now.outboxLag);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** Messages in other states get their outcome later, or the bot never sent them. */
type Counts = { [state in Exclude<ChunkState, 'pending' | 'sending' | 'cancelled' | 'split'>]: number };

/** How many messages an answer gave an outcome, by outcome. The first parameter is the chunk after the answer. */
function countSettled({ state, messages }: ChunkRecord, settlement: Settlement) {
  const counts: Counts = { sent: 0, rejected: 0, not_sent: 0, unknown: 0 };
  const ended = settlement.to === 'resolved_per_message' ? settlement.parts : [{ state, messages }];
  for (const part of ended) {
    if (part.state in counts) counts[part.state as keyof Counts] += part.messages.length;
  }
  return counts;
}

/** Every series by its name, help and labels. docs/operating.md lists them. */
function createSeries(registers: [Registry]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames, buckets, registers });

  return {
    acks: histogram('switchboard_ack_seconds', "Time from Slack's request to its ack", ['kind'], ACK_BUCKETS),
    messages: counter(
      'switchboard_messages_total',
      'Messages that got an outcome from a request of this process',
      ['outcome'],
    ),
    credits: counter('switchboard_credits_used_total', 'Credits that answers to this process said were used'),
    givenUp: counter(
      'switchboard_outbox_given_up_total',
      'Messages to Slack that this process gave up after a day',
    ),
    slack: histogram('switchboard_slack_call_seconds', 'Calls to Slack', ['method', 'outcome'], CALL_BUCKETS),
    service: histogram(
      'switchboard_service_call_seconds',
      'Requests to the messaging credit service',
      ['endpoint', 'outcome'],
      CALL_BUCKETS,
    ),
    balance: gauge('switchboard_balance_credits', "Credits as last known, by the account's user id", [
      'account',
    ]),
    unknown: gauge('switchboard_unknown_messages', 'Unknown messages that need a decision'),
    // The label keeps its name: dashboards outside ask for it.
    waiting: gauge(
      'switchboard_permits_waiting',
      'Requests that are decided and wait for a permit or their turn',
      ['audience'],
    ),
    jobLag: gauge(
      'switchboard_job_lag_seconds',
      'How long ago the oldest running job that has something left to send was confirmed',
    ),
    outboxLag: gauge('switchboard_outbox_lag_seconds', 'How long the oldest message to Slack has been due'),
  };
}
