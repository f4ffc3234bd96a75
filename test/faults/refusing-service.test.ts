import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mode, type RefusingService, startRefusingService } from './helpers/refusing-service.ts';

const PLAIN: Mode = { status: 422, sends: 'first_part', charge: 'at_once', price: 1, balanceLagMs: 0 };
const PHONES = ['447700900001', '447700900002', '447700900003', '447700900004'];
const BAD = ['447700900003'];
const LONG_MS = 3_600_000;

let service: RefusingService;
beforeAll(async () => {
  service = await startRefusingService({ ratePerMinute: 5 });
});
afterAll(() => service.close());

async function ask(key: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(service.url + path, { headers, ...post });
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies that have no type.
  return { status: answer.status, json: (await answer.json()) as any };
}

const list = (key: string, phones = PHONES) =>
  ask(key, '/messages/send-bulk', {
    messages: phones.map((phone) => ({ phone: `+${phone}`, message: 'Hi' })),
  });
const balanceOf = async (key: string) => (await ask(key, '/user/balance')).json.data.credits;

describe('the service that judges refused lists', () => {
  it('sends good messages and charges for them, one by one and as a list', async () => {
    const account = service.open({ mode: PLAIN, credits: 10 });
    const one = await ask(account.key, '/messages/send', { phone: '+447700900009', message: 'Hi' });
    expect(one).toMatchObject({
      status: 201,
      json: { success: true, data: { status: 'sent', credits_used: 1, credits_remaining: 9 } },
    });
    const { status, json } = await list(account.key);
    expect(status).toBe(201);
    expect(json.data).toMatchObject({ messages_sent: 4, credits_used: 4, credits_remaining: 5 });
    expect(json.data.messages.map(({ phone }: { phone: string }) => phone)).toEqual(
      PHONES.map((p) => `+${p}`),
    );
    expect(await balanceOf(account.key)).toBe(5);
    expect(account.delivered.map(({ phone }) => phone)).toEqual(['447700900009', ...PHONES]);
  });

  it.each([
    ['nothing', { sends: 'nothing' }, 422, 0, 10],
    ['a part that is charged', {}, 422, 2, 8],
    ['a part whose charge is rolled back', { charge: 'never' }, 422, 2, 10],
    ['a part that is charged later', { charge: { afterMs: LONG_MS } }, 422, 2, 10],
    ['a part that the balance does not show yet', { balanceLagMs: LONG_MS }, 422, 2, 10],
    ['a part that is free', { price: 0 }, 422, 2, 10],
    ['a part, then says that it is forbidden', { status: 403 }, 403, 2, 8],
  ] as const)('sends %s before it refuses a bad number', async (_, change, status, sent, credits) => {
    const account = service.open({ mode: { ...PLAIN, ...change }, credits: 10, badNumbers: BAD });
    const answer = await list(account.key);
    expect(answer).toMatchObject({ status, json: { success: false } });
    expect(account.delivered.map(({ phone }) => phone)).toEqual(PHONES.slice(0, sent));
    expect(await balanceOf(account.key)).toBe(credits);
    expect(account.requests).toEqual([{ phones: PHONES, status }]);
  });

  it('sends as many as the credits cover, then says 402', async () => {
    const account = service.open({ mode: PLAIN, credits: 3 });
    const { status, json } = await list(account.key);
    expect(status).toBe(402);
    expect(json.error).toMatchObject({ required_credits: 4, available_credits: 0 });
    expect(account.delivered).toHaveLength(3);
  });

  it('books a late charge, and shows an old balance, in their time', async () => {
    for (const late of [{ charge: { afterMs: 150 } }, { balanceLagMs: 150 }]) {
      const account = service.open({ mode: { ...PLAIN, ...late }, credits: 10, badNumbers: BAD });
      await list(account.key);
      await expect.poll(() => balanceOf(account.key), { interval: 250 }).toBe(8);
    }
  });

  it('knows its keys, and counts the requests of each', async () => {
    expect((await ask('nobody', '/user/balance')).status).toBe(401);
    const { key } = service.open({ mode: PLAIN, credits: 10 });
    for (let n = 0; n < 5; n += 1) expect((await ask(key, '/user/balance')).status).toBe(200);
    expect((await ask(key, '/user/balance')).status).toBe(429);
  });
});
