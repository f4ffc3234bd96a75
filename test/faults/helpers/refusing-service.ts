import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the service refuses an account's lists, and its other oddities. */
export interface Mode {
  /** The status for a request with a bad number. A request that the credits don't cover always gets a 402. */
  status: number;
  /** What the service sends before it refuses a list: nothing, or the messages before the bad one. */
  sends: 'nothing' | 'first_part';
  /** When the service charges for the first part: at once, never, or after `afterMs`. */
  charge: 'at_once' | 'never' | { afterMs: number };
  /** Credits a message. */
  price: number;
  /** Balances and receipts show the figure from this long ago, in ms. */
  balanceLagMs: number;
}

/** The account of one API key. */
export interface Account {
  id: number;
  key: string;
  mode: Mode;
  /** Tests may set this, as if somebody else spent. */
  credits: number;
  /** The numbers in digits, without +. */
  badNumbers: ReadonlySet<string>;
  /** Every text that the service sent, oldest first. */
  delivered: { phone: string; text: string }[];
  /** Every request to send within the rate limit, in the order of arrival, with its answer's status. */
  requests: { phones: string[]; status: number }[];
}

/** The messaging credit service, written only from its interface document: it shares no code with the sandbox. */
export interface RefusingService {
  /** The service's base URL. */
  url: string;
  /** Opens an account with a new key. */
  open(account: Pick<Account, 'mode' | 'credits'> & { badNumbers?: readonly string[] }): Account;
  close(): Promise<void>;
}

interface Message {
  phone: string;
  message: string;
}

type Answer = { status: number; body: object };

const MINUTE_MS = 60_000;
const MOST_MESSAGES = 100;
/** How long each answer takes, in ms, so that a job's lists overlap. */
const ANSWERS_MS = 15;
const CODES: { [status: number]: string } = { 402: 'INSUFFICIENT_CREDITS', 422: 'VALIDATION_ERROR' };

/** `ratePerMinute`: how many requests a key may make in any minute; no limit by default. */
export async function startRefusingService({
  ratePerMinute = Number.POSITIVE_INFINITY,
}: {
  ratePerMinute?: number;
} = {}): Promise<RefusingService> {
  const accounts = new Map<string, Account & { was: { at: number; credits: number }[] }>();
  const arrivals = new Map<string, number[]>();
  let messageId = 0;

  type Own = NonNullable<ReturnType<typeof accounts.get>>;

  function shown({ was, credits, mode }: Own): number {
    if (mode.balanceLagMs === 0) return credits;
    const past = performance.now() - mode.balanceLagMs;
    return (was.findLast(({ at }) => at <= past) ?? was[0])?.credits ?? credits;
  }

  function charge(account: Own, credits: number): void {
    account.credits = Math.max(0, account.credits - credits);
    account.was.push({ at: performance.now(), credits: account.credits });
  }

  function isOverRate(key: string): boolean {
    const now = performance.now();
    const recent = (arrivals.get(key) ?? []).filter((at) => at > now - MINUTE_MS);
    if (recent.length < ratePerMinute) recent.push(now);
    else return true;
    arrivals.set(key, recent);
    return false;
  }

  function deliver(account: Own, { phone, message }: Message) {
    account.delivered.push({ phone: digitsOf(phone), text: message });
    messageId += 1;
    return { message_id: messageId, phone, status: 'sent' };
  }

  /** Sends all messages and charges, or refuses at the first message that is bad or not covered. */
  function sendAll(account: Own, messages: Message[]): Answer | { entries: object[]; used: number } {
    const { mode, badNumbers, credits } = account;
    const covered = mode.price === 0 ? messages.length : Math.floor(credits / mode.price);
    const bad = messages.findIndex(({ phone }) => badNumbers.has(digitsOf(phone)));
    if (bad === -1 && covered >= messages.length) {
      const used = messages.length * mode.price;
      charge(account, used);
      return { entries: messages.map((message) => deliver(account, message)), used };
    }
    const stopsAt = bad === -1 ? covered : Math.min(bad, covered);
    const status = stopsAt === bad ? mode.status : 402;
    if (mode.sends === 'first_part') {
      for (const message of messages.slice(0, stopsAt)) deliver(account, message);
      const cost = stopsAt * mode.price;
      if (mode.charge === 'at_once') charge(account, cost);
      else if (mode.charge !== 'never') setTimeout(charge, mode.charge.afterMs, account, cost).unref();
    }
    return refusal(status, {
      ...(status === 422 && { details: { [`messages.${bad}.phone`]: ['The phone is not valid.'] } }),
      ...(status === 402 && {
        required_credits: messages.length * mode.price,
        available_credits: shown(account),
      }),
    });
  }

  function send(account: Own, path: string, body: unknown): Answer {
    const isList = path.endsWith('/send-bulk');
    const messages = (isList ? (body as { messages?: unknown })?.messages : [body]) as Message[];
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isMessage)) return refusal(422);
    if (messages.length > MOST_MESSAGES) return refusal(429);
    const done = sendAll(account, messages);
    const phones = messages.map(({ phone }) => digitsOf(phone));
    account.requests.push({ phones, status: 'status' in done ? done.status : 201 });
    if ('status' in done) return done;
    const credits = { credits_used: done.used, credits_remaining: shown(account) };
    const data = isList
      ? { messages_sent: messages.length, ...credits, messages: done.entries }
      : { ...done.entries[0], ...credits, sent_at: new Date().toISOString() };
    return { status: 201, body: { success: true, data } };
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const body = await jsonOf(request);
    const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const account = accounts.get(key);
    if (!account) return refusal(401);
    if (isOverRate(key)) return refusal(429);
    switch (`${request.method} ${request.url}`) {
      case 'GET /api/v1/user/balance': {
        const data = { credits: shown(account), user_id: account.id, user_name: `Account ${account.id}` };
        return { status: 200, body: { success: true, data } };
      }
      case 'POST /api/v1/messages/send':
      case 'POST /api/v1/messages/send-bulk':
        return send(account, request.url ?? '', body);
      default:
        return refusal(404);
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await answerTo(request);
    await sleep(ANSWERS_MS);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    // A client that leaves during its request gets nothing.
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    open({ mode, credits, badNumbers = [] }) {
      const id = accounts.size + 1;
      const key = `refusing-key-${String(id).padStart(6, '0')}`;
      const account: Own = {
        id,
        key,
        mode,
        credits,
        badNumbers: new Set(badNumbers),
        delivered: [],
        requests: [],
        was: [{ at: performance.now(), credits }],
      };
      accounts.set(key, account);
      return account;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function refusal(status: number, more: object = {}): Answer {
  const code = CODES[status] ?? 'REFUSED';
  return { status, body: { success: false, error: { code, message: 'The request is refused.', ...more } } };
}

function isMessage(value: unknown): value is Message {
  const { phone, message } = (value ?? {}) as Partial<Message>;
  return typeof phone === 'string' && typeof message === 'string';
}

function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '');
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request) text += part;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
