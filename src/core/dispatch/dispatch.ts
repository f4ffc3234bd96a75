import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { TakeRequest } from '../../ledger/model/attempt-types.ts';
import { StoreTroubleError } from '../../store/store-error.ts';
import type { Books } from '../accounts/books.ts';
import type { Instance, Instances } from '../accounts/instances.ts';
import { keyTroubleOf } from '../accounts/key-trouble.ts';
import { type Clock, jittered, type Moment, momentNow } from '../clock.ts';
import { createShortMemory } from '../short-cache.ts';
import type { AttemptResult, Attempts } from './attempts.ts';
import type { Attendance } from './attendance.ts';
import { createCanOpenKey } from './can-open-key.ts';
import type { Funds } from './funds.ts';
import { type Ask, createQueues, type Queue } from './queues.ts';
import { createWaitNews } from './wait-news.ts';

const STORE_RETRY_MS = 1000;
/** How often the log names a missing instance, in ms. */
const NAMED_EVERY_MS = 3_600_000;
/** How long a job waits if its service can't be reached, in ms. The wait doubles each time. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** A moment so far back that a request taken then may no longer start. */
const LONG_AGO: Moment = { steady: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

interface DispatchDeps {
  ledger: Ledger;
  instances: Instances;
  attempts: Attempts;
  funds: Pick<Funds, 'askForShortJobs'>;
  attendance: Attendance;
  books: Pick<Books, 'uncomparedStart'>;
  /** How long an attempt may act before it counts as unknown, in ms. */
  leaseMs: number;
  clock: Clock;
  log: Logger;
}

/** Carries out decided sends. Each instance has a queue for people's texts and one for jobs. */
export function createDispatch(deps: DispatchDeps) {
  const { ledger, instances, attempts, funds, attendance, clock, log } = deps;
  /** Missing instances that the log has named lately. */
  const missed = createShortMemory<true>(NAMED_EVERY_MS, clock.steady);
  const canOpenKey = createCanOpenKey(deps);
  const tellWaiting = createWaitNews(deps);
  const { look, lookIn, wake, drain, isDraining } = createQueues({ takeNext, onFailure, clock });

  async function takeNext(queue: Queue): Promise<void> {
    const instance = await readyInstance(queue);
    if (!instance) return;
    const key = instances.keyOf(instance);
    const { taken, token, issued } = await take(deps, queue, instance);
    if (taken.kind === 'idle') return;
    if (taken.kind === 'unattended') {
      await attendance.pauseAsAway(taken.send, taken.since);
      return look(queue);
    }
    if (taken.kind === 'wait') {
      lookIn(queue, Math.max(1, taken.until - ledger.now()));
      return queue.priority === 'interactive' ? tellWaiting(instance, taken) : undefined;
    }
    const { send, chunk, areMore } = taken;
    if (areMore) look(queue);
    const retryMs = retryOf(queue);
    const result = await attempts.carryOut({ instance, key, send, chunk, token, issued, retryMs });
    if (queue.priority === 'background') backOff(queue, result, clock.steady(), retryMs);
    if (areMore || result !== 'over') look(queue);
  }

  /** The instance, if something of it may be taken now. If not, its queue looks again once that may have changed. */
  async function readyInstance(queue: Queue): Promise<Instance | undefined> {
    const isHeld = () => isDraining() || attempts.isBlocked();
    if (isHeld()) return lookIn(queue, STORE_RETRY_MS);
    const backOffMs = queue.backOffUntil - clock.steady();
    if (backOffMs > 0) return lookIn(queue, backOffMs);
    const { team, instance: id, priority } = queue;
    const instance = await instances.get(team, id);
    if (!instance && !missed.get(id)) {
      log.error({ instance: id }, 'a send waits for an instance that is gone');
      missed.set(id, true);
    }
    if (!instance || !canOpenKey(instance)) {
      if (priority === 'background') await attendance.pauseUnattended(id);
      return undefined;
    }
    const waitMs = priority === 'background' ? await waitOfJobs(queue, instance) : 0;
    if (waitMs > 0) return lookIn(queue, waitMs);
    // Once more: reading a balance takes seconds. Meanwhile a key may have begun to work again.
    if (isHeld()) return lookIn(queue, STORE_RETRY_MS);
    return keyTroubleOf(instance) ? instances.get(team, id) : instance;
  }

  /** How long jobs of the instance must wait before they may take anything, in ms. */
  async function waitOfJobs(queue: Queue, instance: Instance): Promise<number> {
    const { trouble, waitMs } = await funds.askForShortJobs(instance);
    if (trouble) await attendance.pauseForKey(instance, trouble);
    if (waitMs > 0) return waitMs;
    // Check this last, just before the take: we take nothing over a connection that is newer than this check.
    const may = await attendance.mayWork(instance);
    if (may === 'yes') return 0;
    if (may === 'soon') return STORE_RETRY_MS;
    const retryMs = retryOf(queue);
    backOff(queue, 'unreachable', clock.steady(), retryMs);
    await attendance.pauseUnattended(instance.id);
    return retryMs;
  }

  async function onFailure(queue: Queue, error: unknown): Promise<void> {
    const { instance, priority } = queue;
    log.error({ err: error, instance }, 'the bot could not take or carry out work; it tries again');
    lookIn(queue, STORE_RETRY_MS);
    // If the store does not answer, the next look finds these jobs.
    if (priority === 'background') await attendance.pauseUnattended(instance).catch(() => undefined);
  }

  return { wake, drain };
}

/** Asks the ledger for the next chunk. `issued`: the moment that counts as the beginning of its attempt. */
async function take({ ledger, books, clock, leaseMs }: DispatchDeps, queue: Queue, instance: Instance) {
  // Repeat an ask that got no answer. A chunk that the ledger granted to it goes back without a request. Otherwise the
  // chunk would become unknown when its lease ends.
  const isOpen = ({ issued }: Ask) => clock.steady() - issued.steady < leaseMs;
  queue.unanswered = queue.unanswered.filter(isOpen);
  const lost = queue.unanswered.pop();
  // Somebody may have replaced the key since. The ledger gave the permit to the key of the lost ask.
  const ask = lost ?? { request: takeRequestOf(queue, instance, books), issued: momentNow(clock) };
  const taken = await ledger.take(ask.request).catch((error: unknown) => {
    if (!lost || error instanceof StoreTroubleError) queue.unanswered.push(ask);
    throw error;
  });
  // If the first take got no answer, a failover may lose its intent. So the attempt counts as too old, and goes back.
  return { taken, token: ask.request.token, issued: lost ? LONG_AGO : ask.issued };
}

function takeRequestOf(
  { priority }: Queue,
  { id, keyFingerprint: rateLimitKey, accountId: account }: Instance,
  books: DispatchDeps['books'],
): TakeRequest {
  const token = randomBytes(12).toString('base64url');
  const skipTextsUntil = books.uncomparedStart(account);
  return { instance: id, rateLimitKey, account, priority, token, skipTextsUntil };
}

/** Makes jobs wait while the service is out of reach. People's sends have their own time limit. */
function backOff(queue: Queue, result: AttemptResult, now: number, retryMs: number): void {
  if (result !== 'unreachable') queue.failures = 0;
  // If several requests fail together, count only the first.
  if (result === 'unreachable' && queue.backOffUntil <= now) {
    queue.failures += 1;
    queue.backOffUntil = now + retryMs;
  }
}

function retryOf({ failures }: Queue): number {
  return jittered(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10)));
}
