import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../src/sandbox.ts';
import { aBulk, aMessage, BIRCH, callsTo } from './call.ts';

// Each test is one line of the interface document, or one thing that it leaves open; the groups are its parts.
// contract.test.ts has the other parts.

const sandbox = await createSandbox();
const calls = callsTo(sandbox);
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

describe('Endpoints', () => {
  it('GET /user/balance answers 200', async () => {
    expect((await calls.balance()).status).toBe(200);
  });

  it('POST /messages/send answers 201', async () => {
    expect((await calls.send()).status).toBe(201);
  });

  it('POST /messages/send-bulk answers 201', async () => {
    expect((await calls.bulk()).status).toBe(201);
  });

  it.each([
    ['phone', aMessage({ phone: undefined })],
    ['phone', aMessage({ phone: 442079460958 })],
    ['phone', aMessage({ phone: '' })],
    ['phone', aMessage({ phone: '12ab' })],
    ['phone', aMessage({ phone: '44 20 7946 0958' })],
    ['phone', aMessage({ phone: '123456' })],
    ['phone', aMessage({ phone: '1234567890123456' })],
    ['message', aMessage({ message: undefined })],
    ['message', aMessage({ message: 7 })],
    ['message', aMessage({ message: '' })],
  ])('POST /messages/send: %s is required and a string of its form: %o', async (field, body) => {
    const { status, json } = await calls.send({ body });
    expect(status).toBe(422);
    expect(Object.keys(json.error.details)).toEqual([field]);
    expect(sandbox.messages).toEqual([]);
    expect(sandbox.credits(1)).toBe(1000);
  });

  it.each([
    ['1000 characters', 'x'.repeat(1000), 201],
    ['1000 characters outside of the basic plane', '👍'.repeat(1000), 201],
    ['1001 characters', 'x'.repeat(1001), 422],
    ['1001 characters outside of the basic plane', '👍'.repeat(1001), 422],
  ])('POST /messages/send: message of at most 1000 characters: %s', async (_, message, status) => {
    expect((await calls.send({ body: aMessage({ message }) })).status).toBe(status);
  });

  it.each([
    ['1 message', 1, 201],
    ['100 messages', 100, 201],
    ['no message', 0, 422],
    ['101 messages', 101, 429],
  ])('POST /messages/send-bulk: 1 to 100 message objects: %s', async (_, count, status) => {
    expect((await calls.bulk({ body: aBulk(count) })).status).toBe(status);
    expect(sandbox.messages.length).toBe(status === 201 ? count : 0);
  });

  it.each([
    ['no messages', {}],
    ['messages that are no array', { messages: aMessage() }],
  ])('POST /messages/send-bulk: messages is required and an array: %s', async (_, body) => {
    const { status, json } = await calls.bulk({ body });
    expect(status).toBe(422);
    expect(Object.keys(json.error.details)).toEqual(['messages']);
  });

  it('POST /messages/send-bulk: each message has a phone and a message', async () => {
    const messages = [aMessage(), aMessage({ phone: 'x' }), null, aMessage({ message: '' })];
    const { status, json } = await calls.bulk({ body: { messages } });
    expect(status).toBe(422);
    const fields = ['messages.1.phone', 'messages.2.phone', 'messages.2.message', 'messages.3.message'];
    expect(Object.keys(json.error.details)).toEqual(fields);
  });

  it('POST /messages/send-bulk: a hundred of the longest texts fit', async () => {
    const { messages } = aBulk(100);
    // Written as \ud83d\udc4d, twelve bytes a character.
    const message = '\\ud83d\\udc4d'.repeat(1000);
    const body = JSON.stringify({ messages: messages.map((one) => ({ ...one, message: '%' })) });
    expect((await calls.bulk({ body: body.replaceAll('%', message) })).status).toBe(201);
    expect(sandbox.messages[99]?.text).toBe('👍'.repeat(1000));
  });

  it('not shown: bulk with a balance for part of it: by default nothing is sent', async () => {
    const { status, json } = await calls.bulk({ key: BIRCH, body: aBulk(4) });
    expect(status).toBe(402);
    expect(json.error).toMatchObject({ required_credits: 4, available_credits: 3 });
    expect(sandbox.credits(2)).toBe(3);
    expect(sandbox.messages).toEqual([]);
  });

  it('not shown: bulk with a balance for part of it: the first are sent, the rest listed as failed', async () => {
    sandbox.setSwitches({ bulkShortOfCredits: 'send_some' });
    const { status, json } = await calls.bulk({ key: BIRCH, body: aBulk(4) });
    expect(status).toBe(201);
    expect(json.data).toMatchObject({ messages_sent: 3, credits_used: 3, credits_remaining: 0 });
    const statuses = json.data.messages.map((entry: { status: string }) => entry.status);
    expect(statuses).toEqual(['sent', 'sent', 'sent', 'failed']);
    expect(sandbox.messages.length).toBe(3);
    expect((await calls.bulk({ key: BIRCH })).status).toBe(402);
  });

  it('not shown: bulk with a balance for part of it: the rest may be left out of the answer', async () => {
    sandbox.setSwitches({ bulkShortOfCredits: 'send_some', bulkUnsent: 'omitted' });
    const { json } = await calls.bulk({ key: BIRCH, body: aBulk(4) });
    expect(json.data.messages.length).toBe(3);
  });

  it('not shown: bulk with an invalid message: the valid ones may be sent', async () => {
    sandbox.setSwitches({ bulkInvalid: 'send_rest' });
    const messages = [aMessage(), aMessage({ phone: 'x' }), aMessage()];
    const { status, json } = await calls.bulk({ body: { messages } });
    expect(status).toBe(201);
    expect(json.data).toMatchObject({ messages_sent: 2, credits_used: 2 });
    expect(json.data.messages[1]).toMatchObject({ phone: 'x', status: 'failed' });
    const allInvalid = await calls.bulk({ body: { messages: [aMessage({ phone: 'x' })] } });
    expect(allInvalid.status).toBe(422);
  });

  it('not shown: the order of the bulk results, here reversed', async () => {
    sandbox.setSwitches({ bulkOrder: 'reversed' });
    const { json } = await calls.bulk();
    const phones = json.data.messages.map(({ phone }: { phone: string }) => phone);
    expect(phones).toEqual(['442079460001', '442079460000']);
  });

  it('not shown: the longest text of a bulk message', async () => {
    const body = { messages: [aMessage({ message: 'x'.repeat(1001) })] };
    expect((await calls.bulk({ body })).status).toBe(422);
    sandbox.setSwitches({ bulkMessageCharacters: 2000 });
    expect((await calls.bulk({ body })).status).toBe(201);
    sandbox.setSwitches({ bulkMessageCharacters: 4 });
    expect((await calls.bulk()).status).toBe(422);
  });
});

describe('Phone format', () => {
  it('a leading 0 is refused, and may be accepted', async () => {
    const body = aMessage({ phone: '02079460958' });
    expect((await calls.send({ body })).status).toBe(422);
    sandbox.setSwitches({ leadingZero: 'accepted' });
    expect((await calls.send({ body })).status).toBe(201);
  });

  it('not shown: a leading + is accepted, and may be refused', async () => {
    const body = aMessage({ phone: '+442079460958' });
    expect((await calls.send({ body })).status).toBe(201);
    sandbox.setSwitches({ leadingPlus: 'refused' });
    const { status, json } = await calls.send({ body });
    expect(status).toBe(422);
    expect(Object.keys(json.error.details)).toEqual(['phone']);
  });

  it('the error details name each refused recipient by its field', async () => {
    sandbox.setSwitches({ refusedPhones: ['+442079460001'] });
    const { status, json } = await calls.bulk();
    expect(status).toBe(422);
    expect(Object.keys(json.error.details)).toEqual(['messages.1.phone']);
    expect((await calls.send({ body: aMessage({ phone: '442079460001' }) })).status).toBe(422);
    expect((await calls.send()).status).toBe(201);
  });
});
