import { randomBytes } from 'node:crypto';
import type Bottleneck from 'bottleneck';
import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Wait } from '../../ledger/model/attempt-types.ts';
import type { Priority } from '../../ledger/model/ledger-limits.ts';
import { StoreTroubleError } from '../../store/store-error.ts';
import type { Instance, Instances } from '../accounts/instances.ts';
import { type Clock, jittered, type Moment, momentNow } from '../clock.ts';
import { createTurns } from '../turns.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptResult, Attempts } from './attempts.ts';
import type { Attendance } from './attendance.ts';
import { createCanOpenKey } from './can-open-key.ts';
import type { Funds } from './funds.ts';

/** Requests in flight at most, per key: people's single sends, and jobs. */
const IN_FLIGHT: { [priority in Priority]: number } = { interactive: 4, background: 16 };
const STORE_RETRY_MS = 1000;
/** How long a job waits if its service can't be reached, in ms. The wait doubles each time. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** The queue of one instance and priority. Its tickets only mean "take the next": the ledger says which chunk is next. */
interface Queue {
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

/** A moment so far back that a request taken then may no longer start. */
const LONG_AGO: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/** A request to the ledger for work. */
type Ask = Pick<Attempt, 'token' | 'issued'>;

/** Carries decided sends out: takes what the ledger hands over, one queue for people and one for jobs per key. */
export function createDispatch(deps: {
  ledger: Ledger;
  instances: Instances;
  attempts: Attempts;
  funds: Pick<Funds, 'askWhereShort'>;
  attendance: Attendance;
  /** How long an attempt may act before it counts as unknown, in ms. */
  leaseMs: number;
  clock: Clock;
  log: Logger;
  /** Called when nothing can be taken for people now. */
  onWaiting(instance: Instance, wait: Wait): Promise<void>;
}) {
  const { ledger, instances, attempts, funds, attendance, clock, log } = deps;
  const queues = new Map<string, Queue>();
  const running = new Set<Promise<void>>();
  /** Missing instances that the log has named. */
  const missed = new Set<string>();
  const canOpenKey = createCanOpenKey(deps);
  let draining = false;

  /** Something of this instance may be ready. Cheap, and harmless when nothing is. */
  function wake(team: string, instance: string, priority: Priority): void {
    const id = `${team}/${instance}/${priority}`;
    let queue = queues.get(id);
    if (!queue) {
      const tickets = createTurns(IN_FLIGHT[priority]);
      const idle = { running: 0, backOffUntil: 0, failures: 0, unanswered: [] };
      queue = { id, team, instance, priority, tickets, ...idle };
      queues.set(id, queue);
    }
    look(queue);
  }

  function look(queue: Queue): void {
    const { instance, priority, tickets } = queue;
    // One waiting ticket looks at all there is.
    if (draining || tickets.queued() > 0) return;
    queue.running += 1;
    const ticket = tickets
      .schedule(() => takeNext(queue))
      .catch(async (error: unknown) => {
        log.error({ err: error, instance }, 'the ledger could not be asked for work; trying again');
        lookIn(queue, STORE_RETRY_MS);
        // Where the store does not answer, the next look finds them.
        if (priority === 'background') await attendance.standsStill(instance).catch(() => undefined);
      })
      .finally(() => {
        running.delete(ticket);
        queue.running -= 1;
        if (isIdle(queue, clock.steady())) queues.delete(queue.id);
      });
    running.add(ticket);
  }

  function lookIn(queue: Queue, waitMs: number): undefined {
    clearTimeout(queue.timer);
    queue.timer = setTimeout(() => {
      delete queue.timer;
      look(queue);
    }, waitMs);
    queue.timer.unref();
  }

  const isHeld = () => draining || attempts.isBlocked();

  /** The instance, if something of it may be taken now. If not, its queue looks again once that may have changed. */
  async function readyInstance(queue: Queue): Promise<Instance | undefined> {
    if (isHeld()) return lookIn(queue, STORE_RETRY_MS);
    const backOffMs = queue.backOffUntil - clock.steady();
    if (backOffMs > 0) return lookIn(queue, backOffMs);
    const { team, instance: id, priority } = queue;
    const instance = await instances.get(team, id);
    if (!instance) {
      if (!missed.has(id)) log.error({ instance: id }, 'a send waits for an instance that is gone');
      missed.add(id);
      if (priority === 'background') await attendance.standsStill(id);
      return undefined;
    }
    if (!canOpenKey(instance)) {
      if (priority === 'background') await attendance.standsStill(id);
      return undefined;
    }
    if (priority === 'background') {
      await funds.askWhereShort(instance);
      // Check this last, just before the take: over a connection that is newer than this check, nothing is taken.
      const may = await attendance.mayWork(instance);
      if (may === 'soon') return lookIn(queue, STORE_RETRY_MS);
      if (may === 'no') {
        const pauseMs = retryOf(queue);
        backOff(queue, 'unreachable', pauseMs);
        await attendance.standsStill(id);
        return lookIn(queue, pauseMs);
      }
    }
    // Once more: reading a balance takes seconds.
    return isHeld() ? lookIn(queue, STORE_RETRY_MS) : instance;
  }

  async function takeNext(queue: Queue): Promise<void> {
    const instance = await readyInstance(queue);
    if (!instance) return;
    const { priority } = queue;
    const key = instances.keyOf(instance);
    // Repeat an ask that got no answer. A chunk that the ledger granted to it goes back without a request. Otherwise the
    // chunk would become unknown when its lease ends.
    const isOpen = ({ issued }: Ask) => clock.steady() - issued.steady < deps.leaseMs;
    queue.unanswered = queue.unanswered.filter(isOpen);
    const lost = queue.unanswered.pop();
    const ask = lost ?? { token: randomBytes(12).toString('base64url'), issued: momentNow(clock) };
    const { token } = ask;
    const { keyFingerprint: rateLimitKey, accountId: account } = instance;
    const taken = await ledger
      .take({ instance: instance.id, rateLimitKey, account, priority, token })
      .catch((error: unknown) => {
        if (!lost || error instanceof StoreTroubleError) queue.unanswered.push(ask);
        throw error;
      });
    if (taken.kind === 'idle') return;
    if (taken.kind === 'unattended') {
      await attendance.wasAway(taken.send, taken.since);
      return look(queue);
    }
    if (taken.kind === 'wait') {
      lookIn(queue, Math.max(1, taken.until - ledger.now()));
      return priority === 'interactive' ? deps.onWaiting(instance, taken) : undefined;
    }
    const { send, chunk, areMore } = taken;
    if (areMore) look(queue);
    const retryMs = retryOf(queue);
    // If the first take got no answer, a failover may lose its intent. So the attempt counts as too old, and goes back.
    const issued = lost ? LONG_AGO : ask.issued;
    const result = await attempts.carryOut({ instance, key, send, chunk, token, issued, retryMs });
    if (priority === 'background') backOff(queue, result, retryMs);
    if (areMore || result !== 'over') look(queue);
  }

  /** Makes jobs wait while the service is out of reach. People's sends have their own time limit. */
  function backOff(queue: Queue, result: AttemptResult, retryMs: number): void {
    const now = clock.steady();
    if (result !== 'unreachable') queue.failures = 0;
    // If several requests fail together, count only the first.
    if (result === 'unreachable' && queue.backOffUntil <= now) {
      queue.failures += 1;
      queue.backOffUntil = now + retryMs;
    }
  }

  return {
    wake,
    /** Takes nothing new, and resolves when everything in flight is settled. */
    async drain() {
      draining = true;
      for (const queue of queues.values()) clearTimeout(queue.timer);
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Whether a queue has nothing to do or remember, so we drop it: of many thousand instances, few send at a time. */
function isIdle({ running, timer, failures, unanswered, backOffUntil }: Queue, steady: number): boolean {
  return running + failures + unanswered.length === 0 && timer === undefined && backOffUntil <= steady;
}

function retryOf({ failures }: Queue): number {
  return jittered(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10)));
}
