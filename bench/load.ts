import { setTimeout as sleep } from 'node:timers/promises';
import { sign } from 'slack-playground';
import { Client } from 'undici';
import type { Answers } from './answers.ts';

/** The result of a command that is typed again and again. Times are in ms from the first byte sent. */
export interface Load {
  acks: number[];
  answers: number[];
  /** How many commands a second were acknowledged and answered. */
  perSecond: number;
  /** The app's last answer, as it posted it. */
  lastAnswer: object;
}

/**
 * Sends signed commands to an app for `ms`, over several kept-alive connections. On each, the next command follows
 * `pauseMs` after the acknowledgement and the answer of the one before. `fields`: the command without its ids and
 * response_url, or a function that makes the fields from the response_url.
 * @throws if an answer does not hold `says`
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
