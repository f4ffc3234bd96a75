import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { ACME, aMessage, BIRCH, call } from './call.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.close());

/** Ends this sandbox and starts another, which continues from the snapshot; the snapshot travels as JSON. */
async function restored(snapshot: unknown = sandbox.snapshot()): Promise<Sandbox> {
  const json = JSON.stringify(snapshot);
  await sandbox.close();
  sandbox = await createSandbox();
  sandbox.restore(JSON.parse(json));
  return sandbox;
}

/** Sends a list whose third number is bad: the first two texts are sent, then the service refuses the list. */
async function refusedList(): Promise<void> {
  const messages = [aMessage(), aMessage(), aMessage({ phone: '0' })];
  expect((await call('POST', `${sandbox.url}/messages/send-bulk`, { body: { messages } })).status).toBe(422);
  expect(sandbox.messages).toHaveLength(2);
}

async function shownCredits(): Promise<number> {
  return (await call('GET', `${sandbox.url}/user/balance`)).json.data.credits;
}

const send = (body = aMessage()) => call('POST', `${sandbox.url}/messages/send`, { body });

describe('a sandbox that continues from a snapshot', () => {
  it('has its accounts, credits, keys and texts', async () => {
    await send();
    sandbox.setCredits(2, 77);
    sandbox.addKey({ name: 'Second', key: 'sandbox-key-second', user_id: 2 });
    sandbox.revokeKey(BIRCH);
    const before = sandbox.state();
    const after = (await restored()).state();
    expect(after.accounts).toEqual(before.accounts);
    expect(after.instances).toEqual(before.instances);
    expect(after.messages).toEqual(before.messages);
    expect(after.messages).toHaveLength(1);
    expect((await call('GET', `${sandbox.url}/user/balance`)).json.data.credits).toBe(999);
    expect((await call('GET', `${sandbox.url}/user/balance`, { key: BIRCH })).json.error.code).toBe(
      'INVALID_API_KEY',
    );
  });

  it('continues the numbers of messages and requests', async () => {
    await send();
    await send();
    await restored();
    expect((await send()).json.data.message_id).toBe(3);
    expect(sandbox.requests.map(({ id }) => id)).toEqual([3]);
    expect(sandbox.messages.map(({ request }) => request)).toEqual([1, 2, 3]);
  });

  it('has the faults that are still to come', async () => {
    sandbox.addFault({ kind: 'server_error', endpoint: 'send', when: 'before', times: 2 });
    await send();
    const [left] = (await restored()).state().faults;
    expect(left).toMatchObject({ kind: 'server_error', times: 1 });
    expect((await send()).status).toBe(500);
    expect((await send()).status).toBe(201);
  });

  it.each([
    { kind: 'charges_later', credits: 1000 },
    { kind: 'shows_old_balance', credits: 998 },
  ] as const)('has the late charge of a refused list, and its time: $kind', async ({ kind, credits }) => {
    sandbox.setSwitches({ bulkRefusal: { kind, ms: 3_600_000 } });
    await refusedList();
    const snapshot = sandbox.snapshot();
    await restored(snapshot);
    expect(sandbox.credits(1)).toBe(credits);
    expect(await shownCredits()).toBe(1000);
    const [late] = snapshot.books.lateCharges;
    if (!late) throw new Error('there is no late charge');
    // As if the sandbox had been down until then.
    late.at = Date.now();
    await restored(snapshot);
    await expect.poll(shownCredits).toBe(998);
    expect(sandbox.credits(1)).toBe(998);
    expect(sandbox.snapshot().books.lateCharges).toEqual([]);
  });

  it('begins with its own seed after a reset', async () => {
    await send();
    await restored();
    sandbox.reset();
    expect(sandbox.credits(1)).toBe(1000);
    expect(sandbox.messages).toEqual([]);
    expect((await send()).json.data.message_id).toBe(1);
    expect(sandbox.requests.map(({ id }) => id)).toEqual([1]);
  });

  it('calls no listener', async () => {
    await send();
    const snapshot = sandbox.snapshot();
    const heard: string[] = [];
    for (const event of ['message', 'credits', 'request', 'answer'] as const) {
      sandbox.on(event, () => heard.push(event));
    }
    sandbox.restore(snapshot);
    expect(heard).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('of an older version, without late charges, is accepted', () => {
    const { lateCharges: _, ...books } = sandbox.snapshot().books;
    sandbox.restore({ ...sandbox.snapshot(), books });
    expect(sandbox.snapshot().books.lateCharges).toEqual([]);
  });

  it('stays as it was taken', async () => {
    const snapshot = sandbox.snapshot();
    const json = JSON.stringify(snapshot);
    await send();
    expect(JSON.stringify(snapshot)).toBe(json);
    sandbox.restore(snapshot);
    await send();
    expect(JSON.stringify(snapshot)).toBe(json);
  });

  it.each([
    ['none', null],
    ['incomplete', { books: { accounts: [] } }],
    ['credits below zero', withBooks({ accounts: [{ user_id: 1, user_name: 'A', credits: -1 }] })],
    ['a key of no account', withBooks({ accounts: [] })],
    [
      'a late charge of no account',
      withBooks({ lateCharges: [{ user_id: 9, credits: 1, at: 0, booked: false }] }),
    ],
    ['a key that occurs twice', withBooks({ instances: [instance(), instance()] })],
  ])('that is %s is refused, and all is as at the start', async (_, snapshot) => {
    await send();
    expect(() => sandbox.restore(snapshot)).toThrow();
    expect(sandbox.credits(1)).toBe(1000);
    expect(sandbox.messages).toEqual([]);
    expect((await send()).status).toBe(201);
  });
});

function instance() {
  return { name: 'Acme', key: ACME, user_id: 1, revoked: false };
}

function withBooks(books: object) {
  const whole = {
    accounts: [{ user_id: 1, user_name: 'Acme', credits: 5 }],
    instances: [instance()],
    messages: [],
    created: 0,
    requested: 0,
  };
  return { books: { ...whole, ...books }, faults: [] };
}
