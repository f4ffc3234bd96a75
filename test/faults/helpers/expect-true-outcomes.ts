import assert from 'node:assert/strict';
import type { SentMessage } from 'credit-sandbox';
import {
  type ChunkDocument,
  chunkIdOf,
  type TextsDocument,
} from '../../../src/ledger/model/chunk-documents.ts';
import type { ChunkState } from '../../../src/ledger/model/outcome-types.ts';
import type { SendDocument } from '../../../src/ledger/model/send-documents.ts';
import type { Dump } from '../../helpers/dump-store.ts';

/** A message of a send, and the state of its chunk. */
interface Outcome {
  send: SendDocument;
  state: ChunkState;
  phone: string;
  text: string;
}

/**
 * Compares each message of a ledger with the service's arrivals. A sent text arrived once, an unknown one at most once,
 * any other never. So this finds false outcomes, and requests that were made twice. Numbers in `erased` are left out,
 * since the ledger has forgotten some of their messages.
 */
export function expectTrueOutcomes(
  ledger: Dump,
  messages: readonly Pick<SentMessage, 'phone' | 'text'>[],
  erased: readonly string[] = [],
): void {
  assert(!isAtWork(ledger), 'something is still on its way');
  const [sent, unknown, arrived] = [createCounter(), createCounter(), createCounter()];
  for (const { phone, text } of messages) if (!erased.includes(phone)) arrived.add(phone, text);
  for (const { state, phone, text } of outcomesOf(ledger)) {
    // An erased message has lost its number.
    if (phone === '' || erased.includes(phone)) continue;
    if (state === 'sent') sent.add(phone, text);
    if (state === 'unknown') unknown.add(phone, text);
  }
  for (const name of new Set([...arrived.names(), ...sent.names()])) {
    const [is, sure, doubt] = [arrived.of(name), sent.of(name), unknown.of(name)];
    assert(is >= sure && is <= sure + doubt, `${name}: arrived ${is}, sent ${sure}, unknown ${doubt} times`);
  }
}

/** Each text is written once, so nobody may get it twice. A store that forgot a send can't explain its arrivals. */
export function expectNobodyTwice(messages: readonly Pick<SentMessage, 'phone' | 'text'>[]): void {
  const arrived = createCounter();
  for (const { phone, text } of messages) arrived.add(phone, text);
  for (const name of arrived.names()) assert.equal(arrived.of(name), 1, `${name}: arrived twice`);
}

/** Whether a chunk is in flight, or a bot will soon take one by itself. */
export function isAtWork(ledger: Dump): boolean {
  return outcomesOf(ledger).some(
    ({ send, state }) => state === 'sending' || (state === 'pending' && send.record.state === 'running'),
  );
}

/** Every message of every send. */
export function outcomesOf({ documents }: Dump): Outcome[] {
  const all = <T>(name: string) =>
    new Map(
      documents.filter(({ collection }) => collection === name).map(({ id, value }) => [id, value as T]),
    );
  const chunks = all<ChunkDocument>('chunks');
  const texts = all<TextsDocument>('texts');
  return [...all<SendDocument>('sends').values()].flatMap((send) =>
    Array.from({ length: send.work.chunks }, (_, index) => {
      const name = chunkIdOf({ send: send.record.id, index });
      const { state } = chunks.get(name) ?? { state: 'pending' as const };
      const messages = send.messages ?? texts.get(name) ?? [];
      return messages.map(({ phone, text }) => ({ send, state, phone, text }));
    }).flat(),
  );
}

function createCounter() {
  const times = new Map<string, number>();
  const of = (name: string) => times.get(name) ?? 0;
  return {
    of,
    names: () => times.keys(),
    add(phone: string, text: string): void {
      const name = `${text} to ${phone}`;
      times.set(name, of(name) + 1);
    },
  };
}
