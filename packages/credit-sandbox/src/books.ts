import { EventEmitter } from 'node:events';
import type { Endpoint, Fault } from './faults.ts';
import { createLateCharges, type LateCharge } from './late-charges.ts';
import type { Balance } from './schema.ts';
import type { Instance, Seed } from './seed.ts';
import type { BooksSnapshot, InstanceRecord, SentMessage } from './snapshot.ts';

/** A request to the service's API. The sandbox adds the record when the headers arrive, and completes it at the end. */
export interface RequestRecord {
  /** 1, 2, 3, … in the order of arrival. */
  id: number;
  /** Arrival, in ms since 1970. */
  at: number;
  /** Arrival by `performance.now()`, in ms. Unlike `at` it never goes back, so rate windows use it. */
  monotonicMs: number;
  /** Which of the two base URLs the client used. */
  host: 'main' | 'alt';
  method: string;
  path: string;
  /** null if the path is not in the interface. */
  endpoint: Endpoint | null;
  /** The key and its instance's name. null if the key is unknown: the sandbox never records unknown keys. */
  key: string | null;
  instance: string | null;
  fault: Fault['kind'] | null;
  /** The status that was sent to the client; null if none was sent yet. */
  status: number | null;
  /** False once the sandbox has sent the answer or cut the connection, or the client has left. */
  open: boolean;
  creditsCharged: number;
  messagesSent: number;
}

interface BooksEvents {
  /** A request has arrived; its record is completed later. */
  request: [RequestRecord];
  /** A request has ended. */
  answer: [RequestRecord];
  message: [SentMessage];
  /** A balance has changed. */
  credits: [Balance];
}

/** Calls `listener` at each event, in the same turn of the loop, until the returned function is called. */
export type Subscribe = <E extends keyof BooksEvents>(
  event: E,
  listener: (...args: BooksEvents[E]) => void,
) => () => void;

/** The sandbox cannot do this, such as top up an account that does not exist. `message` is a sentence for people. */
export class SandboxError extends Error {
  override name = 'SandboxError';
}

/** Each account's credits, each key's account, and what has happened since the last reset. */
export type Books = ReturnType<typeof createBooks>;

/**
 * Creates the sandbox's state from the seed. Keeps the newest `keptRequests` requests.
 * @throws SandboxError if an instance of the seed names a missing account, or a key occurs twice
 */
export function createBooks(seed: Seed, keptRequests = Number.POSITIVE_INFINITY) {
  const accounts = new Map<number, Balance>();
  const instances = new Map<string, InstanceRecord>();
  const messages: SentMessage[] = [];
  const requests: RequestRecord[] = [];
  const events = new EventEmitter<BooksEvents>();
  const lateCharges = createLateCharges(settleLate);
  let created = 0;
  let requested = 0;

  function account(user_id: number): Balance {
    const found = accounts.get(user_id);
    if (!found) throw new SandboxError(`There is no account with the user_id ${user_id}.`);
    return found;
  }

  function setCredits(user_id: number, credits: number): void {
    if (!Number.isSafeInteger(credits) || credits < 0) {
      throw new SandboxError(`Credits must be a whole number, 0 or more. ${credits} is not.`);
    }
    account(user_id).credits = credits;
    events.emit('credits', { ...account(user_id) });
  }

  /** The balance as the service shows it: not yet reduced by late charges. */
  function shownCredits(user_id: number): number {
    const hidden = lateCharges.list().filter((one) => one.user_id === user_id && one.booked);
    return hidden.reduce((credits, one) => credits + one.credits, account(user_id).credits);
  }

  function chargeLate(charge: LateCharge): void {
    if (charge.booked) setCredits(charge.user_id, account(charge.user_id).credits - charge.credits);
    lateCharges.add(charge);
  }

  function settleLate({ user_id, credits, booked }: LateCharge): void {
    const before = account(user_id).credits;
    // Other requests may have spent the credits meanwhile.
    setCredits(user_id, booked ? before : Math.max(0, before - credits));
  }

  function addKey(instance: Instance): void {
    account(instance.user_id);
    if (instances.has(instance.key)) throw new SandboxError('There is an instance with this key already.');
    instances.set(instance.key, { ...instance, revoked: false });
  }

  function knownInstance(key: string): InstanceRecord {
    const instance = instances.get(key);
    if (!instance) throw new SandboxError('There is no instance with this key.');
    return instance;
  }

  function revokeKey(key: string): void {
    knownInstance(key).revoked = true;
  }

  function moveKey(key: string, user_id: number): void {
    account(user_id);
    knownInstance(key).user_id = user_id;
  }

  /** Forgets everything, and begins with these accounts and instances. */
  function begin(from: Seed): void {
    accounts.clear();
    instances.clear();
    messages.length = 0;
    requests.length = 0;
    lateCharges.clear();
    created = 0;
    requested = 0;
    for (const one of from.accounts) accounts.set(one.user_id, { ...one });
    for (const one of from.instances) addKey(one);
  }

  /** Everything except the requests: of those, it has only the count. */
  function snapshot(): BooksSnapshot {
    const listed = { accounts: [...accounts.values()], instances: [...instances.values()], messages };
    return structuredClone({ ...listed, lateCharges: lateCharges.list(), created, requested });
  }

  /** Continues from a snapshot. The list of requests starts empty; the ids of requests continue. */
  function restore(kept: BooksSnapshot): void {
    begin(kept);
    for (const { key, revoked } of kept.instances) if (revoked) revokeKey(key);
    for (const message of kept.messages) messages.push(message);
    for (const charge of kept.lateCharges) {
      account(charge.user_id);
      lateCharges.add(charge);
    }
    created = kept.created;
    requested = kept.requested;
  }

  begin(seed);
  return {
    accounts: () => [...accounts.values()].map((one) => ({ ...one })),
    instances: () => [...instances.values()].map((one) => ({ ...one })),
    instanceOf: (key: string) => instances.get(key) ?? null,
    account,
    shownCredits,
    /** The texts and the requests, oldest first; both grow in place. */
    messages,
    requests,
    setCredits,
    /** Adds credits; a figure below 0 takes some away. */
    topUp: (user_id: number, credits: number) => setCredits(user_id, account(user_id).credits + credits),
    /** If `booked`, charges now and shows the charge later. Otherwise charges later. */
    chargeLate,
    addKey,
    revokeKey,
    moveKey,
    /** The number of the next message, sent or not: 0, 1, 2, … */
    countMessage: () => created++,
    /** The number of the next request: 1, 2, 3, … */
    countRequest: () => ++requested,
    noteMessage(message: SentMessage): void {
      messages.push(message);
      events.emit('message', message);
    },
    noteRequest(request: RequestRecord): void {
      requests.push(request);
      if (requests.length > keptRequests) requests.shift();
      events.emit('request', request);
    },
    noteAnswer(request: RequestRecord): void {
      request.open = false;
      events.emit('answer', request);
    },
    on: ((event, listener) => {
      events.on(event, listener as never);
      return () => events.off(event, listener as never);
    }) as Subscribe,
    snapshot,
    restore,
    reset: () => begin(seed),
  };
}
