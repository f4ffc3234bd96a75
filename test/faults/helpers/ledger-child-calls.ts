import type { Settlement } from '../../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';

// An import would load all exports of node:http, fetch too: a third of a child's start.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/**
 * Sends texts; resolves with what to settle. Four texts at once are refused without a request, as if one number were
 * bad. Of three texts, the answer calls the first queued.
 */
export async function sendTexts(
  port: number,
  list: LedgerMessage[],
  written: () => void,
): Promise<Settlement> {
  const request = 'answered';
  const rejected: Settlement = { to: 'rejected', request, result: null };
  if (list.length === 4) {
    const children = [list.slice(0, 3), list.slice(3)];
    return { to: 'split', request, children, mostRequests: 40, otherwise: rejected };
  }
  let status: number | undefined;
  try {
    status = await call(port, `/send?phones=${list.map(({ phone }) => phone).join(',')}`, written);
  } catch {
    return { to: 'unknown', request: 'unanswered', result: null };
  }
  if (status === 400) return rejected;
  if (status === 429) return { to: 'pending', request: { restMs: 5 }, waitMs: 0 };
  const receipt = { creditsUsed: list.length, creditsRemaining: 0 };
  if (list.length !== 3) return { to: 'sent', request, receipt, result: null };
  const [first, ...rest] = list as [LedgerMessage, ...LedgerMessage[]];
  const part = { state: 'sent', result: null } as const;
  const parts = [
    { ...part, messages: [first], otherStatus: 'queued' },
    { ...part, messages: rest },
  ];
  return { to: 'resolved_per_message', request, receipt, parts };
}

export async function postMessage(port: number, row: string): Promise<void> {
  await call(port, `/post?id=${row}`, () => {});
}

function call(port: number, path: string, written: () => void): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.on('finish', written);
    request.end();
  });
}
