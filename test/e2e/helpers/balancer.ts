import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../../helpers/replicas.ts';
import type { World } from '../../helpers/world.ts';

/** A load balancer between Slack and the bots. */
export interface Balancer {
  /** How many of Slack's requests this bot got so far. */
  handedTo(replica: Replica): number;
  close(): void;
}

/** How often the balancer looks at each bot, in ms. */
const LOOK_EVERY_MS = 200;

/**
 * Takes the address that Slack calls. Like a real balancer, it knows only the last /readyz of each bot. So a request
 * may go to a bot that has ended since; if it fails there, the balancer tries no other bot.
 */
export async function startBalancer(world: World, replicas: readonly Replica[]): Promise<Balancer> {
  const ready = new Set<Replica>();
  const handed = new Map<Replica, number>();
  let turn = 0;
  let isClosed = false;

  async function look(replica: Replica): Promise<void> {
    const isReady = await fetch(`${replica.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(replica);
    else ready.delete(replica);
  }

  async function lookAgainAndAgain(): Promise<void> {
    for (; !isClosed; await sleep(LOOK_EVERY_MS)) await Promise.all(replicas.map(look));
  }

  const door = createServer((incoming, outgoing) => {
    const replica = [...ready][turn++ % ready.size];
    if (!replica) {
      outgoing.writeHead(503).end();
      return;
    }
    handed.set(replica, (handed.get(replica) ?? 0) + 1);
    const { method, headers, url: path = '/' } = incoming;
    const onward = request(`${replica.url}${path}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(onward);
  });
  await Promise.all(replicas.map(look));
  void lookAgainAndAgain();
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  world.slack.setEventsUrl(`http://127.0.0.1:${(door.address() as AddressInfo).port}/slack/events`);
  return {
    handedTo: (replica) => handed.get(replica) ?? 0,
    close() {
      isClosed = true;
      door.close();
      door.closeAllConnections();
    },
  };
}
