import { randomBytes, randomInt } from 'node:crypto';
import type { Block, Json } from './types.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An id like Slack's: the prefix and ten capitals or digits. */
export function newId(prefix: string): string {
  return prefix + Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A short id, such as Slack gives to blocks and elements without one. */
function shortId(): string {
  return randomBytes(4).toString('base64url');
}

/**
 * Makes timestamps like Slack's (seconds.microseconds): each is later than the one before, the first later than `after`.
 * `now` is in ms.
 */
export function createTimestamps(now: () => number, after = '0.000000'): () => string {
  let last = Number(after.replace('.', ''));
  return () => {
    last = Math.max(last + 1, now() * 1000);
    const micros = String(last).padStart(7, '0');
    return `${micros.slice(0, -6)}.${micros.slice(-6)}`;
  };
}

const INTERACTIVE = /button|checkboxes|select|picker|overflow|input/;

function withActionId(element: Json): Json {
  return INTERACTIVE.test(String(element.type)) && element.action_id === undefined
    ? { ...element, action_id: shortId() }
    : element;
}

/** The blocks as Slack keeps them: those without an id get one. */
export function withIds(blocks: readonly Json[]): Block[] {
  return blocks.map((block) => {
    const kept: Block = { ...block, type: String(block.type), block_id: String(block.block_id ?? shortId()) };
    if (block.type === 'input') kept.element = withActionId(block.element as Json);
    if (block.accessory) kept.accessory = withActionId(block.accessory as Json);
    if (block.type === 'actions') kept.elements = (block.elements as Json[]).map(withActionId);
    return kept;
  });
}
