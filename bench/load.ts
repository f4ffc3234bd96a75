import { setTimeout as sleep } from 'node:timers/promises';
import { sign } from 'slack-playground';
import { Client } from 'undici';
import type { Answers } from './answers.ts';

/** What came of typing a command again and again: times in ms from the first byte sent. */
export interface Load {
  acks: number[];
  answers: number[];
  /** Commands that were acknowledged and answered, per second. */
  perSecond: number;
  /** What the app said the last time, as it was posted. */
  lastAnswer: object;
}

/**
 * Sends signed commands to an app for so many ms, over so many kept-alive connections: on each the next one when the
 * one before it was acknowledged and answered, and `pauseMs` later. `fields`: the command but for its ids and
 * response_url, or what is posted in its place, by its response_url.
 * @throws where an answer does not hold `says`
 */
export async function load(
  app: { url: string; signingSecret: string },
  answers: Answers,
  {
    connections,
    ms,
    pauseMs,
    fields,
    says,
  }: {
    connections: number;
    ms: number;
    pauseMs?: number | undefined;
    fields: Record<string, string> | ((responseUrl: string) => Record<string, string>);
    says: string;
  },
): Promise<Load> {
  const { origin, pathname } = new URL(app.url);
  const result = { acks: [] as number[], answers: [] as number[] };
  let lastBody = '';
  const begun = performance.now();
  const until = begun + ms;

  async function typeOn(client: Client): Promise<void> {
    while (performance.now() < until) {
      const { url, arrival } = answers.expect();
      const sent = performance.now();
      await type(client, url);
      result.acks.push(performance.now() - sent);
      const { at, body } = await arrival;
      result.answers.push(at - sent);
      if (!body.includes(says)) throw new Error(`the app answered with something else: ${body}`);
      lastBody = body;
      if (pauseMs !== undefined) await sleep(pauseMs);
    }
  }

  async function type(client: Client, responseUrl: string): Promise<void> {
    const form = new URLSearchParams(
      typeof fields === 'function'
        ? fields(responseUrl)
        : { ...fields, response_url: responseUrl, trigger_id: responseUrl },
    );
    const body = form.toString();
    const timestamp = Math.floor(Date.now() / 1000);
    const acknowledged = await client.request({
      method: 'POST',
      path: pathname,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': String(timestamp),
        'x-slack-signature': sign(app.signingSecret, timestamp, body),
      },
      body,
    });
    await acknowledged.body.dump();
    if (acknowledged.statusCode !== 200) throw new Error(`a command got ${acknowledged.statusCode}`);
  }

  const clients = Array.from({ length: connections }, () => new Client(origin));
  try {
    await Promise.all(clients.map(typeOn));
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  const perSecond = (result.answers.length * 1000) / (performance.now() - begun);
  return { ...result, perSecond, lastAnswer: JSON.parse(lastBody) };
}
