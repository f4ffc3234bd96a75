import { sign } from 'slack-playground';
import type { Dice } from '../../helpers/dice.ts';
import { nonsenseBody, pick, type Victim } from './hostile-payloads.ts';

/** Bytes for a connection. Each request has its own connection. */
export interface HostileRequest {
  kind: string;
  /** Parts to write in order, `pauseMs` apart. */
  parts: Buffer[];
  pauseMs?: number;
  /** Repeats the last part without end. */
  isEndless?: boolean;
  /** What the client does after its last byte: wait, end its half, or reset. */
  ending: 'wait' | 'end' | 'reset';
  /** The allowed statuses. `none`: the connection ends without one. */
  allowed: RegExp;
}

/** Unsigned requests hold these words, so a test can find a log that repeats them. */
export const OVERHEARD = 'overheard-words';

const PATH = '/slack/events';
const OVER_LIMIT = 1024 * 1024 + 1;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** Makes requests with one fault each. The same dice make the same requests. */
export function createHostileRequests(
  dice: Dice,
  { secret, victim }: { secret: string; victim: Victim },
): { next(): HostileRequest; endless(): HostileRequest } {
  const body = () => `payload=${OVERHEARD}${dice()}`;
  const big = Buffer.alloc(OVER_LIMIT, OVERHEARD);
  const piece = Buffer.from(`4000\r\n${OVERHEARD.repeat(2000).slice(0, 0x4000)}\r\n`);

  /** A whole request. `headers` replace the right ones; undefined omits one. */
  function post(
    text: string | Buffer,
    headers: Record<string, string | undefined> = {},
    path = PATH,
  ): Buffer {
    const bytes = Buffer.from(text);
    const seconds = Math.floor(Date.now() / 1000);
    const all = {
      host: '127.0.0.1',
      connection: 'close',
      'content-type': FORM,
      'content-length': String(bytes.length),
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': sign(secret, seconds, bytes.toString()),
      ...headers,
    };
    return Buffer.concat([Buffer.from(head('POST', path, all)), bytes]);
  }

  function oldPost(ageSeconds: number): Buffer {
    const text = body();
    const seconds = Math.floor(Date.now() / 1000) - ageSeconds;
    const stamped = String(seconds);
    return post(text, {
      'x-slack-request-timestamp': stamped,
      'x-slack-signature': sign(secret, seconds, text),
    });
  }

  const whole = (kind: string, bytes: Buffer, allowed: RegExp): HostileRequest => ({
    kind,
    parts: [bytes],
    ending: 'wait',
    allowed,
  });

  const unsigned: [weight: number, make: () => HostileRequest][] = [
    [20, () => whole('wrong signature', post(body(), { 'x-slack-signature': wrongSignature() }), /401/)],
    [10, () => whole('old or coming timestamp', oldPost(pick(dice, [301, 86_400, 1.7e9])), /401/)],
    [
      5,
      () => {
        const header = pick(dice, ['x-slack-signature', 'x-slack-request-timestamp']);
        const value = pick(dice, [undefined, '', OVERHEARD, 'NaN', '1e999', '-1']);
        return whole('header missing or senseless', post(body(), { [header]: value }), /401/);
      },
    ],
    [10, () => whole('changed body', changed(post(body())), /401/)],
    [4, () => whole('other type of body', post(body(), { 'content-type': wrongType() }), /400|401/)],
    [6, truncated],
    [0.4, () => whole('over the limit', post(big), /413|none/)],
    [0.2, endless],
    [8, () => whole('other path', post(body(), {}, otherPath()), /400|404/)],
    [8, () => whole('other method', otherMethod(), /400|404|405|none/)],
    [8, () => whole('no HTTP', noHttp(), /400|none/)],
    [3, () => whole('flood of headers', headerFlood(), /401|431|none/)],
    [3, slow],
    [3, halfOpen],
  ];
  const kinds: typeof unsigned = [
    ...unsigned,
    [
      3,
      () => {
        const broken = pick(dice, [
          '{',
          `{"a":`,
          `payload={"${OVERHEARD}`,
          'payload=[',
          '',
          `{${OVERHEARD}}`,
          '\u0000',
        ]);
        const type = pick(dice, [FORM, JSON_TYPE]);
        return whole('signed, broken', post(broken, { 'content-type': type }), /400|404/);
      },
    ],
    [9, nonsense],
  ];
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

  function nonsense(): HostileRequest {
    const { body: text, isForm } = nonsenseBody(dice, victim);
    const type = isForm ? FORM : JSON_TYPE;
    return whole('signed, nonsense', post(text, { 'content-type': type }), /200|400|404|413|500/);
  }

  const wrongSignature = () =>
    pick(dice, [
      sign(`not ${secret}`, Math.floor(Date.now() / 1000), OVERHEARD),
      'v0=',
      `v1=${'0'.repeat(64)}`,
      `v0=${'é'.repeat(32)}`,
      `v0=${'a'.repeat(5000)}`,
    ]);
  const wrongType = () =>
    pick(dice, ['text/plain', `${FORM}; charset=utf-7`, OVERHEARD, 'multipart/form-data', '']);
  const otherPath = () =>
    pick(dice, [
      '/',
      `/${OVERHEARD}`,
      `${PATH}/`,
      `/${PATH}`,
      '/slack/../slack/events',
      `/%00${OVERHEARD}`,
      `/${'x'.repeat(8000)}`,
    ]);

  function otherMethod(): Buffer {
    const method = pick(dice, [
      'GET',
      'PUT',
      'DELETE',
      'PATCH',
      'TRACE',
      'OPTIONS',
      'CONNECT',
      'PROPFIND',
      OVERHEARD,
    ]);
    return Buffer.from(head(method, PATH, { host: 'x', connection: 'close' }));
  }

  function noHttp(): Buffer {
    const random = Buffer.from(Array.from({ length: 200 }, () => Math.floor(dice() * 256)));
    return pick(dice, [
      Buffer.concat([random, Buffer.from('\r\n\r\n')]),
      Buffer.from('\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 'latin1'),
      Buffer.from(`POST ${PATH} HTTP/9.9\r\n\r\n`),
      Buffer.from(
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
      Buffer.from(`POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${OVERHEARD}\r\n`),
      Buffer.from(`POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n`),
      Buffer.from(`POST ${PATH} HTTP/1.1\r\nhost: x\r\n${OVERHEARD}\u0000: y\r\n\r\n`),
    ]);
  }

  function headerFlood(): Buffer {
    const many = dice() < 0.5;
    const headers = Array.from({ length: many ? 1500 : 20 }, (_, index) => {
      return [`x-${index}`, many ? 'y' : OVERHEARD.repeat(100)];
    });
    return Buffer.from(
      head('POST', PATH, { host: 'x', connection: 'close', ...Object.fromEntries(headers) }),
    );
  }

  function truncated(): HostileRequest {
    const bytes = post(body());
    const parts = [bytes.subarray(0, Math.floor(dice() * bytes.length))];
    return { kind: 'cut off', parts, ending: pick(dice, ['end', 'reset']), allowed: /400|401|none/ };
  }

  function endless(): HostileRequest {
    const start = post('', { 'content-length': undefined, 'transfer-encoding': 'chunked' });
    return {
      kind: 'without end',
      parts: [start, piece],
      isEndless: true,
      ending: 'wait',
      allowed: /413|none/,
    };
  }

  function slow(): HostileRequest {
    const bytes = post(body());
    const parts = Array.from({ length: 8 }, (_, index) => bytes.subarray(index * 20, index * 20 + 20));
    return { kind: 'slow', parts, pauseMs: 100, ending: 'reset', allowed: /none/ };
  }

  function halfOpen(): HostileRequest {
    const parts = dice() < 0.5 ? [] : [Buffer.from(`POST ${PATH} HT`)];
    return { kind: 'nothing', parts, ending: pick(dice, ['end', 'reset']), allowed: /400|none/ };
  }

  return {
    next() {
      let left = dice() * total;
      for (const [weight, make] of kinds) {
        left -= weight;
        if (left < 0) return make();
      }
      return nonsense();
    },
    endless,
  };
}

/** A byte a second. The server must not wait for the end. */
export function slowToTheEnd(): HostileRequest {
  const parts = [...Buffer.from(`POST ${PATH} HTTP/1.1\r\nx: ${OVERHEARD.repeat(10)}`)].map((byte) =>
    Buffer.of(byte),
  );
  return { kind: 'slow to the end', parts, pauseMs: 1000, ending: 'wait', allowed: /408/ };
}

function head(method: string, path: string, headers: Record<string, string | undefined>): string {
  const lines = Object.entries(headers).filter(([, value]) => value !== undefined);
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** The same bytes with another last byte. */
function changed(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}
