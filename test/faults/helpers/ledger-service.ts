import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dice } from '../../helpers/dice.ts';

/** A service and a Slack in one. Counts the requests that reach it. */
export interface CountingService {
  port: number;
  /** How often each number's text was accepted. */
  texts: Map<string, number>;
  /** Numbers whose text was accepted before the connection was reset. */
  unanswered: Set<string>;
  /** How often each outbox row was posted. */
  posts: Map<string, number>;
  close(): void;
}

/**
 * Starts the service. `dice` choose its answer for each number: most are quick, some late, some begin with a 429, some
 * are rejections, and some accepted texts get no answer. Calls `onText` for each request with texts.
 */
export async function startService(dice: Dice, onText: () => void): Promise<CountingService> {
  const texts = new Map<string, number>();
  const posts = new Map<string, number>();
  const unanswered = new Set<string>();
  const treatments = new Map<string, { roll: number; waitMs: number; asked: number }>();

  function send(phones: string[], response: ServerResponse): void {
    const [first = ''] = phones;
    const treatment = treatments.get(first) ?? { roll: dice(), waitMs: dice() * 12, asked: 0 };
    treatments.set(first, treatment);
    treatment.asked += 1;
    const { roll, waitMs, asked } = treatment;
    const refusal = roll < 0.08 ? 400 : roll < 0.16 && asked === 1 ? 429 : undefined;
    if (refusal) {
      answer(response, refusal, waitMs);
      return;
    }
    for (const phone of phones) count(texts, phone);
    if (roll < 0.92) {
      answer(response, 201, roll > 0.84 ? waitMs * 8 : waitMs);
      return;
    }
    for (const phone of phones) unanswered.add(phone);
    setTimeout(() => response.destroy(), waitMs);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://service');
    const [id, phones] = [searchParams.get('id'), searchParams.get('phones')];
    if (pathname === '/post' && id) {
      count(posts, id);
      answer(response, 200, 0);
    } else if (pathname === '/send' && phones) {
      send(phones.split(','), response);
      onText();
    } else answer(response, 404, 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    texts,
    unanswered,
    posts,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, status: number, waitMs: number): void {
  setTimeout(() => response.writeHead(status).end(), waitMs);
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
