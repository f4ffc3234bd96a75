import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../../local/free-port.ts';
import type { Balance, BulkResult, Message, SendResult } from '../../../src/sms/schema.ts';
import { wire } from '../../helpers/sms-samples.ts';

/** How a connection ends: RST, FIN, or not at all. */
export type CutKind = 'reset' | 'close' | 'hang';

/** Where to cut a connection: after this many bytes of the request arrived, or of the answer were written. */
export interface Cut {
  of: 'request' | 'answer';
  offset: number;
  kind: CutKind;
}

/** What the service saw of a connection. */
export interface Carried {
  request: string;
  /** Whether all of the request arrived. Then the service processes and charges it. */
  whole: boolean;
  /** How many bytes of the answer were written, and whether that was all. */
  answered: number;
  answeredWhole: boolean;
  wasCut: boolean;
}

/** The messaging credit service on bare TCP, with one account that never runs out of credits. */
export interface CuttingServer {
  url: string;
  /** Every connection, in the order of arrival. */
  carried: Carried[];
  /** Cuts the next connection. If that ends without a byte of a request, cuts the one after it. */
  cutNext(cut: Cut): void;
  /** Accepts no connections until `open`. */
  shut(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The last bytes must arrive before the end, or an RST could overtake them. */
const BEFORE_THE_END_MS = 3;
const FIRST_ID = 1_000_000;
/** A charge never changes the number of digits, so all answers of a kind have the same length. */
const CREDITS = 9_000_000;

export async function startCuttingServer(): Promise<CuttingServer> {
  const carried: Carried[] = [];
  const sockets = new Set<Socket>();
  let armed: Cut | undefined;
  let charged = 0;

  function answerTo(request: string): string {
    const [head = '', body = ''] = request.split('\r\n\r\n');
    const credits = () => CREDITS - charged;
    if (head.startsWith('GET')) {
      const data: Balance = { credits: credits(), user_id: 1, user_name: 'Acme Ltd' };
      return wire(200, { success: true, data });
    }
    const { messages } = JSON.parse(body) as { messages?: Message[] };
    const first = FIRST_ID + charged;
    charged += messages?.length ?? 1;
    const data: SendResult | BulkResult = messages
      ? {
          messages_sent: messages.length,
          credits_used: messages.length,
          credits_remaining: credits(),
          messages: messages.map(({ phone }, at) => ({ message_id: first + at, phone, status: 'sent' })),
        }
      : { message_id: first, status: 'sent', credits_used: 1, credits_remaining: credits() };
    return wire(201, { success: true, data });
  }

  function serve(socket: Socket): void {
    const own: Carried = { request: '', whole: false, answered: 0, answeredWhole: false, wasCut: false };
    carried.push(own);
    const cut = armed;
    armed = undefined;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (!own.wasCut && own.request === '') armed ??= cut;
    });

    socket.on('data', (part) => {
      if (own.wasCut) return;
      own.request += part.toString('latin1');
      if (cut?.of === 'request') {
        if (own.request.length < cut.offset) return;
        own.request = own.request.slice(0, cut.offset);
        end();
        return;
      }
      if (own.whole || !isWhole(own.request)) return;
      own.whole = true;
      const answer = answerTo(own.request);
      const bytes = cut ? answer.slice(0, cut.offset) : answer;
      own.answered = bytes.length;
      own.answeredWhole = bytes.length === answer.length;
      if (cut) socket.write(bytes, () => setTimeout(end, BEFORE_THE_END_MS));
      else socket.end(bytes);
    });

    if (cut?.of === 'request' && cut.offset === 0) end();

    function end(): void {
      own.wasCut = true;
      if (cut?.kind === 'reset') socket.resetAndDestroy();
      if (cut?.kind === 'close') socket.end();
    }
  }

  const server = createServer(serve);
  const port = await freePort();
  await listen(server, port);

  async function shut(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }

  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    carried,
    cutNext(cut) {
      armed = cut;
    },
    shut,
    open: () => listen(server, port),
    close: shut,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head));
  return text.length >= head + 4 + Number(length?.[1] ?? 0);
}
