import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultInput, SwitchesPatch } from 'credit-sandbox';
import { describe, expect, test } from 'vitest';
import type { ChunkResult } from '../../../src/core/sends/chunk-result.ts';
import { confirmed, ended, endsTold, eventually, viewOf } from '../../helpers/core-sends.ts';
import { ACME, ACME_KEY, type CoreWorld, createCoreWorld, run, runLinked } from '../../helpers/core-world.ts';

/** A row of "What an answer means", with its column for single sends. */
interface Row {
  answer: string;
  fault?: FaultInput;
  switches?: SwitchesPatch;
  prepare?(world: CoreWorld): void;
  becomes: 'sent' | 'rejected' | 'not_sent' | 'unknown';
  result: Partial<ChunkResult>;
  /** How many requests the bot makes; 1 by default. */
  requests?: number;
  /** How many texts the service really sent; by default 1 for `sent`, else 0. */
  texts?: number;
}

const failed = (status: number, code: string) => ({
  kind: 'answer' as const,
  endpoint: 'send' as const,
  when: 'before' as const,
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ success: false, error: { code, message: 'In its own words.' } }),
});

const succeeded = (status: number, body: string, headers: Record<string, string> = {}) => ({
  kind: 'answer' as const,
  endpoint: 'send' as const,
  when: 'after' as const,
  status,
  headers,
  body,
});

const RECEIPT = {
  message_id: 7,
  status: 'sent',
  credits_used: 1,
  credits_remaining: 999,
  sent_at: '2026-01-05T09:00:00Z',
};
const WHOLE = JSON.stringify({ success: true, data: RECEIPT });
const WITHOUT_FIGURES = JSON.stringify({ success: true, data: { message_id: 7, status: 'sent' } });

const ROWS: Row[] = [
  {
    answer: 'a valid 201',
    becomes: 'sent',
    result: { cause: 'accepted', creditsUsed: 1, creditsRemaining: 999, messageId: 1 },
  },
  {
    answer: 'a 201 with another status than "sent"',
    switches: { status: 'queued' },
    becomes: 'sent',
    result: { cause: 'accepted', otherStatus: 'queued', creditsUsed: 1 },
  },
  {
    answer: 'a 201 with fields that nobody documented',
    switches: { extraFields: true },
    becomes: 'sent',
    result: { cause: 'accepted', creditsUsed: 1 },
  },
  {
    answer: '401',
    prepare: ({ service }) => service.revokeKey(ACME_KEY),
    becomes: 'rejected',
    result: { cause: 'key_refused', code: 'INVALID_API_KEY' },
  },
  {
    answer: '402',
    prepare: ({ service }) => service.setCredits(ACME, 0),
    becomes: 'rejected',
    result: { cause: 'credits', requiredCredits: 1, availableCredits: 0 },
  },
  {
    answer: '422',
    switches: { refusedPhones: ['442079460958'] },
    becomes: 'rejected',
    result: { cause: 'validation', code: 'VALIDATION_ERROR' },
  },
  {
    answer: 'another 4xx with the error object',
    fault: failed(403, 'SOMETHING_NEW'),
    becomes: 'rejected',
    result: { cause: 'refused', code: 'SOMETHING_NEW', message: 'In its own words.' },
  },
  {
    answer: 'a 4xx without the error object',
    fault: { ...failed(404, ''), body: '<html>Not Found</html>' },
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
  },
  ...(['error_object', 'plain_text', 'html', 'empty'] as const).map((tooManyBody) => ({
    answer: `429 with the body ${tooManyBody}, then room`,
    fault: { kind: 'rate_limited' as const, endpoint: 'send' as const },
    switches: { tooManyBody },
    becomes: 'sent' as const,
    result: { cause: 'accepted' as const },
    requests: 2,
  })),
  {
    answer: '429 twice, then room',
    fault: { kind: 'rate_limited', endpoint: 'send', times: 2 },
    becomes: 'sent',
    result: { cause: 'accepted' },
    requests: 3,
  },
  {
    answer: '429 three times in a row',
    fault: { kind: 'rate_limited', endpoint: 'send', times: 'always' },
    becomes: 'not_sent',
    result: { cause: 'rate_limited' },
    requests: 3,
  },
  ...(['before', 'after'] as const).flatMap((when): Row[] => {
    const texts = when === 'after' ? 1 : 0;
    const of = (fault: FaultInput) => ({ ...fault, endpoint: 'send' as const, when }) as FaultInput;
    return [
      {
        answer: `500 ${when} the charge`,
        fault: of({ kind: 'server_error' }),
        becomes: 'unknown',
        result: { cause: 'server_error' },
        texts,
      },
      {
        answer: `the HTML of a proxy ${when} the charge`,
        fault: of({ kind: 'bad_gateway' }),
        becomes: 'unknown',
        result: { cause: 'server_error' },
        texts,
      },
      {
        answer: `a reset ${when} the charge`,
        fault: of({ kind: 'reset' }),
        becomes: 'unknown',
        result: { cause: 'no_answer' },
        texts,
      },
      {
        answer: `no answer at all, ${when} the charge`,
        fault: of({ kind: 'hang' }),
        becomes: 'unknown',
        result: { cause: 'no_answer' },
        texts,
      },
    ];
  }),
  {
    answer: 'an answer that comes after the deadline',
    fault: { kind: 'delay', endpoint: 'send', ms: 700 },
    becomes: 'unknown',
    result: { cause: 'no_answer' },
    texts: 1,
  },
  {
    answer: 'half of an answer, then the end of the connection',
    fault: { kind: 'truncate', endpoint: 'send' },
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
    texts: 1,
  },
  {
    answer: 'half of an answer, then silence',
    fault: { kind: 'stall', endpoint: 'send' },
    becomes: 'unknown',
    result: { cause: 'no_answer' },
    texts: 1,
  },
  {
    answer: 'a 201 that is not JSON',
    fault: { kind: 'garbage', endpoint: 'send' },
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
    texts: 1,
  },
  {
    answer: 'a 201 without its figures',
    fault: succeeded(201, WITHOUT_FIGURES),
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
    texts: 1,
  },
  {
    answer: 'another 2xx, however right its body',
    fault: succeeded(200, WHOLE),
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
    texts: 1,
  },
  {
    answer: 'an empty 204',
    fault: succeeded(204, ''),
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
    texts: 1,
  },
  {
    answer: 'a redirect, which is not followed',
    fault: succeeded(307, '', { Location: 'messages/send' }),
    becomes: 'unknown',
    result: { cause: 'broken_answer' },
    texts: 1,
  },
];

describe('the meaning of an answer to a single send', () => {
  test.each(ROWS)('$answer: $becomes', async (row) => {
    // The windows are short, since the bot waits after a 429, and each 429 adds a request.
    const timely = row.becomes === 'unknown' ? { leaseMs: 2400, timeoutMs: 400 } : {};
    const world = await createCoreWorld({ limits: { windowMs: 60, ...timely } });
    const { core, posted, kill } = await runLinked(world);
    row.prepare?.(world);
    world.service.setSwitches(row.switches ?? {});
    if (row.fault) world.service.addFault(row.fault);

    const { id } = await confirmed(core);
    const view = await ended(core, id);
    expect(view).toMatchObject({ outcome: row.becomes, result: row.result });
    await eventually(() => expect(endsTold(posted, id)).toEqual([row.becomes]));

    // Neither a later round nor a restart makes the request again.
    world.time.advance(60_000);
    await sleep(60);
    kill();
    world.service.clearFaults();
    const next = await run(world);
    await eventually(() => expect(world.balanceRequests().length).toBeGreaterThan(1));
    await sleep(60);
    expect(world.sendRequests()).toHaveLength(row.requests ?? 1);
    expect(world.service.messages).toHaveLength(row.texts ?? (row.becomes === 'sent' ? 1 : 0));
    expect((await viewOf(next.core, id)).outcome).toBe(row.becomes);
  });

  test('no key, text or number is in the log, whatever the answer was', async () => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world);
    const faults = [{ kind: 'reset' }, { kind: 'garbage' }, { kind: 'server_error' }] as const;
    for (const fault of faults) {
      world.service.addFault({ ...fault, endpoint: 'send' });
      await ended(core, (await confirmed(core, { text: 'The secret is Platypus' })).id);
    }
    expect(world.logged()).toContain('request settled');
    expect(world.logged()).not.toMatch(/Platypus|secret|2079460958|acme-key/);
  });
});

describe('a request that never started', () => {
  /** Nothing listens on this port: the sandbox has another, and nobody uses port 9 on loopback. */
  const NOBODY = 'http://127.0.0.1:9/api/v1';

  test('is made over the other host form in the same attempt', async () => {
    const world = await createCoreWorld();
    await (await runLinked(world)).stop();
    const { core } = await run(world, { addresses: { baseUrl: NOBODY, baseUrlAlt: world.service.urlAlt } });
    const { id } = await confirmed(core);
    const view = await ended(core, id);
    expect(view).toMatchObject({ outcome: 'sent', result: { cause: 'accepted' } });
    expect(world.sendRequests().map(({ host }) => host)).toEqual(['alt']);
  });

  test('is tried again for 9 s after the decision, then given up as not sent', async () => {
    const world = await createCoreWorld();
    await (await runLinked(world)).stop();
    const { core, ledger } = await run(world, { addresses: { baseUrl: NOBODY } });
    const { id } = await confirmed(core);
    const attempts = async () => (await ledger.chunks(id))[0]?.attempt ?? 0;
    await eventually(async () => expect(await attempts()).toBeGreaterThan(1));
    expect((await viewOf(core, id)).state).toBe('running');
    // The next answer comes so late that a further attempt would begin after 9 s.
    world.time.advance(8900);
    expect(await ended(core, id)).toMatchObject({ outcome: 'not_sent', result: { cause: 'unreachable' } });
    expect(world.sendRequests()).toHaveLength(0);
  });

  test('is sent once the service can be reached again', async () => {
    const world = await createCoreWorld();
    await (await runLinked(world)).stop();
    const down = await run(world, { addresses: { baseUrl: NOBODY } });
    const { id } = await confirmed(down.core);
    await eventually(async () =>
      expect((await down.ledger.chunks(id))[0]).toMatchObject({ state: 'pending', attempt: 1 }),
    );
    await down.stop();
    const up = await run(world);
    expect((await ended(up.core, id)).outcome).toBe('sent');
    expect(world.sendRequests()).toHaveLength(1);
  });

  test('spends no permit', async () => {
    // Adding the key and reading the balance take two permits. The bot gives the third back each time.
    const world = await createCoreWorld({ limits: { permits: 3 } });
    await (await runLinked(world)).stop();
    const { core, ledger } = await run(world, { addresses: { baseUrl: NOBODY } });
    const { id } = await confirmed(core);
    await eventually(async () => expect((await ledger.chunks(id))[0]?.attempt).toBeGreaterThan(2));
    expect((await viewOf(core, id)).state).toBe('running');
  });

  test('is not sent at all if the service takes no such number', async () => {
    const world = await createCoreWorld();
    const { core } = await runLinked(world);
    // A German number may have 17 digits. The client allows 15, as in international numbers.
    const number = { kind: 'number' as const, e164: '+49301234567890123', digits: '49301234567890123' };
    const { id } = await confirmed(core, { number });
    const view = await ended(core, id);
    expect(view).toMatchObject({ outcome: 'not_sent', result: { cause: 'validation' } });
    expect(world.sendRequests()).toHaveLength(0);
    expect(world.logged()).not.toContain('301234567890123');
  });
});
