import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import type { Switches } from '../src/switches.ts';
import { Failure } from './answers.ts';
import { aBulk, aMessage, BIRCH, call, callsTo } from './call.ts';

let sandbox: Sandbox;
let calls: ReturnType<typeof callsTo>;

beforeEach(async () => {
  sandbox = await createSandbox();
  calls = callsTo(sandbox);
});
afterEach(() => sandbox.close());

const HOUR_MS = 3_600_000;
const SOON_MS = 150;
const firstFour = aBulk(4);
const withBadFifth = { messages: [...firstFour.messages, aMessage({ phone: '0' }), aMessage()] };

function refuse(bulkRefusal: Switches['bulkRefusal']): void {
  sandbox.setSwitches({ bulkRefusal });
}

async function shownCredits(key?: string): Promise<number> {
  return (await calls.balance(key ? { key } : {})).json.data.credits;
}

function textedPhones(): string[] {
  return sandbox.messages.map(({ phone }) => phone);
}

const phonesOf = ({ messages }: { messages: object[] }) =>
  messages.map((message) => (message as { phone: string }).phone);

describe('a list with a bad number, refused with 422', () => {
  it('as a whole, by default: nothing is sent or charged', async () => {
    const { status, json } = await calls.bulk({ body: withBadFifth });
    expect(status).toBe(422);
    expect(Object.keys(Failure.parse(json).error.details as object)).toEqual(['messages.4.phone']);
    expect(textedPhones()).toEqual([]);
    expect(sandbox.credits(1)).toBe(1000);
  });

  it.each([
    { kind: 'charges', credits: 996, shown: 996 },
    { kind: 'rolls_back', credits: 1000, shown: 1000 },
    { kind: 'charges_later', ms: HOUR_MS, credits: 1000, shown: 1000 },
    { kind: 'shows_old_balance', ms: HOUR_MS, credits: 996, shown: 1000 },
  ] as const)('after its first part: $kind', async ({ credits, shown, ...bulkRefusal }) => {
    refuse(bulkRefusal);
    const { status, json } = await calls.bulk({ body: withBadFifth });
    expect(status).toBe(422);
    expect(Object.keys(Failure.parse(json).error.details as object)).toEqual(['messages.4.phone']);
    expect(textedPhones()).toEqual(phonesOf(firstFour));
    expect(sandbox.requests.at(-1)).toMatchObject({ messagesSent: 4 });
    expect(sandbox.credits(1)).toBe(credits);
    expect(await shownCredits()).toBe(shown);
  });

  it('sends only as many of the first part as the credits cover', async () => {
    refuse({ kind: 'charges' });
    expect((await calls.bulk({ key: BIRCH, body: withBadFifth })).status).toBe(422);
    expect(textedPhones()).toEqual(phonesOf(aBulk(3)));
    expect(sandbox.credits(2)).toBe(0);
  });

  it('sends nothing if the first number is the bad one', async () => {
    refuse({ kind: 'charges' });
    const body = { messages: withBadFifth.messages.toReversed().slice(1) };
    expect((await calls.bulk({ body })).status).toBe(422);
    expect(textedPhones()).toEqual([]);
  });

  it('texts the same people again if the client sends the list again', async () => {
    refuse({ kind: 'rolls_back' });
    await calls.bulk({ body: withBadFifth });
    await calls.bulk({ body: withBadFifth });
    expect(textedPhones()).toEqual([...phonesOf(firstFour), ...phonesOf(firstFour)]);
  });

  it('charges by the price of the switch, also 0', async () => {
    refuse({ kind: 'charges' });
    sandbox.setSwitches({ price: { per: 'message', credits: 2 } });
    await calls.bulk({ body: withBadFifth });
    expect(sandbox.credits(1)).toBe(992);
    sandbox.setSwitches({ price: { per: 'message', credits: 0 } });
    await calls.bulk({ body: withBadFifth });
    expect(sandbox.credits(1)).toBe(992);
    expect(sandbox.messages).toHaveLength(8);
  });
});

describe('a list that the credits cover only partly, refused with 402', () => {
  it('as a whole, by default: nothing is sent or charged', async () => {
    const { status, json } = await calls.bulk({ key: BIRCH, body: firstFour });
    expect(status).toBe(402);
    expect(json.error).toMatchObject({ required_credits: 4, available_credits: 3 });
    expect(textedPhones()).toEqual([]);
  });

  it.each([
    { kind: 'charges', credits: 0, shown: 0 },
    { kind: 'rolls_back', credits: 3, shown: 3 },
    { kind: 'charges_later', ms: HOUR_MS, credits: 3, shown: 3 },
    { kind: 'shows_old_balance', ms: HOUR_MS, credits: 0, shown: 3 },
  ] as const)('after as many as they cover: $kind', async ({ credits, shown, ...bulkRefusal }) => {
    refuse(bulkRefusal);
    const { status, json } = await calls.bulk({ key: BIRCH, body: firstFour });
    expect(status).toBe(402);
    expect(Failure.parse(json).error).toMatchObject({ required_credits: 4, available_credits: credits });
    expect(textedPhones()).toEqual(phonesOf(aBulk(3)));
    expect(sandbox.credits(2)).toBe(credits);
    expect(await shownCredits(BIRCH)).toBe(shown);
  });

  it('sends nothing if the refusal is a fault', async () => {
    refuse({ kind: 'charges' });
    sandbox.addFault({ kind: 'no_credits' });
    expect((await calls.bulk()).status).toBe(402);
    expect(textedPhones()).toEqual([]);
    expect(sandbox.credits(1)).toBe(1000);
  });
});

describe('a charge that comes or shows later', () => {
  it('charges_later: takes the credits after its time, and calls listeners', async () => {
    refuse({ kind: 'charges_later', ms: SOON_MS });
    const booked = new Promise((done) => sandbox.on('credits', ({ credits }) => done(credits)));
    await calls.bulk({ body: withBadFifth });
    expect(sandbox.credits(1)).toBe(1000);
    expect(await booked).toBe(996);
    expect(await shownCredits()).toBe(996);
  });

  it('charges_later: takes what is left if somebody spent the credits meanwhile', async () => {
    refuse({ kind: 'charges_later', ms: SOON_MS });
    await calls.bulk({ body: withBadFifth });
    sandbox.setCredits(1, 1);
    await expect.poll(() => sandbox.credits(1)).toBe(0);
  });

  it('shows_old_balance: receipts show it too, and the true balance after its time', async () => {
    // Long enough for two requests on a busy machine.
    refuse({ kind: 'shows_old_balance', ms: 1000 });
    await calls.bulk({ body: withBadFifth });
    const receipts = [(await calls.send()).json, (await calls.bulk()).json];
    expect(receipts.map(({ data }) => data.credits_remaining)).toEqual([999, 997]);
    expect(sandbox.credits(1)).toBe(993);
    await expect.poll(() => shownCredits(), { timeout: 10_000 }).toBe(993);
  });

  it('shows_old_balance: credits that only seem to be there buy nothing', async () => {
    refuse({ kind: 'shows_old_balance', ms: HOUR_MS });
    await calls.bulk({ key: BIRCH, body: firstFour });
    expect((await calls.send({ key: BIRCH })).status).toBe(402);
    expect(textedPhones()).toHaveLength(3);
  });

  it.each(['charges_later', 'shows_old_balance'] as const)('%s: a reset forgets it', async (kind) => {
    refuse({ kind, ms: SOON_MS });
    await calls.bulk({ body: withBadFifth });
    sandbox.reset();
    expect(await shownCredits()).toBe(1000);
    await sleep(2 * SOON_MS);
    expect(await shownCredits()).toBe(1000);
  });
});

describe('the switch', () => {
  it('can be changed over HTTP like the others', async () => {
    const bulkRefusal = { kind: 'charges_later', ms: 5000 };
    const options = { key: null, body: { bulkRefusal } };
    const { json } = await call('POST', `${sandbox.controlUrl}/switches`, options);
    expect(json.switches.bulkRefusal).toEqual(bulkRefusal);
    await calls.bulk({ body: withBadFifth });
    expect(textedPhones()).toHaveLength(4);
  });

  it.each([
    { kind: 'half' },
    { kind: 'charges', ms: 5 },
    { kind: 'charges_later' },
    { kind: 'charges_later', ms: 0 },
  ])('refuses an invalid value: %o', (bulkRefusal) => {
    expect(() => sandbox.setSwitches({ bulkRefusal } as object)).toThrow();
  });
});
