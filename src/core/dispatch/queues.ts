import type Bottleneck from 'bottleneck';
import type { TakeRequest } from '../../ledger/model/attempt-types.ts';
import type { Priority } from '../../ledger/model/ledger-limits.ts';
import type { Clock } from '../clock.ts';
import { createTurns } from '../turns.ts';
import type { Attempt } from './attempt.ts';

/** The most requests in flight at once, per queue: people's single texts, and jobs. */
const IN_FLIGHT: { [priority in Priority]: number } = { interactive: 4, background: 16 };

/** How many queues stay, though they are idle. One takes 6 KB; a person waits 3 ms until one is made. */
const MOST_QUEUES = 200;

/** A request to the ledger for a chunk, and when we made it first. */
export interface Ask extends Pick<Attempt, 'issued'> {
  request: TakeRequest;
}

/** The queue of one instance and priority. Its tickets only mean "take the next": the ledger says which chunk is next. */
export interface Queue {
  id: string;
  team: string;
  instance: string;
  priority: Priority;
  tickets: Bottleneck;
  /** Tickets that have not ended. */
  running: number;
  timer?: NodeJS.Timeout;
  /** Steady ms before which nothing is taken: the service is out of reach. */
  backOffUntil: number;
  /** How often in a row the service could not be reached. */
  failures: number;
  /** Asks that got no answer: the ledger may have granted them. */
  unanswered: Ask[];
}

/** Queues of instances that have work, or had some lately. */
export function createQueues(deps: {
  /** Takes the next chunk, if there is one, and carries it out. */
  takeNext(queue: Queue): Promise<void>;
  /** Called when `takeNext` has failed. Must not reject. */
  onFailure(queue: Queue, error: unknown): Promise<void>;
  clock: Pick<Clock, 'steady'>;
}) {
  const queues = new Map<string, Queue>();
  const running = new Set<Promise<void>>();
  let isDraining = false;

  function look(queue: Queue): void {
    // A ticket that waits already will look at all there is.
    if (isDraining || queue.tickets.queued() > 0) return;
    queue.running += 1;
    const ticket = queue.tickets
      .schedule(() => deps.takeNext(queue))
      .catch((error: unknown) => deps.onFailure(queue, error))
      .finally(() => {
        running.delete(ticket);
        queue.running -= 1;
      });
    running.add(ticket);
  }

  /** Drops idle queues, the first ones first, until there is room for another. */
  function makeRoom(): void {
    for (const queue of queues.values()) {
      if (queues.size < MOST_QUEUES) return;
      if (isIdle(queue, deps.clock.steady())) queues.delete(queue.id);
    }
  }

  return {
    /** Looks for work of an instance. Cheap, and harmless if there is none. */
    wake(team: string, instance: string, priority: Priority): void {
      const id = `${team}/${instance}/${priority}`;
      let queue = queues.get(id);
      if (!queue) {
        makeRoom();
        const tickets = createTurns(IN_FLIGHT[priority]);
        const idle = { running: 0, backOffUntil: 0, failures: 0, unanswered: [] };
        queue = { id, team, instance, priority, tickets, ...idle };
        queues.set(id, queue);
      }
      look(queue);
    },
    look,
    /** Looks for work of a queue in `waitMs`. Replaces the time of an earlier call. */
    lookIn(queue: Queue, waitMs: number): undefined {
      clearTimeout(queue.timer);
      queue.timer = setTimeout(() => {
        delete queue.timer;
        look(queue);
      }, waitMs);
      queue.timer.unref();
    },
    isDraining: () => isDraining,
    /** Takes nothing new, and resolves when everything in flight is settled. */
    async drain() {
      isDraining = true;
      for (const queue of queues.values()) clearTimeout(queue.timer);
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Whether a queue has nothing to do or remember. */
function isIdle({ running, timer, failures, unanswered, backOffUntil }: Queue, steady: number): boolean {
  return running + failures + unanswered.length === 0 && timer === undefined && backOffUntil <= steady;
}
