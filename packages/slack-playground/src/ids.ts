import { randomBytes, randomInt } from 'node:crypto';
import type { Block, Json } from './types.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An id of Slack's form: the prefix and ten capitals or digits. */
export function newId(prefix: string): string {
  return prefix + Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A short id, as Slack makes up for blocks and elements that have none. */
function shortId(): string {
  return randomBytes(4).toString('base64url');
}

/**
 * Timestamps of Slack's form (seconds.microseconds), never the same twice, all of them later than `after`. `now` is in
 * ms.
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

/** The blocks as Slack keeps them: missing ids are made up. */
export function withIds(blocks: readonly Json[]): Block[] {
  return blocks.map((block) => {
    const kept: Block = { ...block, type: String(block.type), block_id: String(block.block_id ?? shortId()) };
    if (block.type === 'input') kept.element = withActionId(block.element as Json);
    if (block.accessory) kept.accessory = withActionId(block.accessory as Json);
    if (block.type === 'actions') kept.elements = (block.elements as Json[]).map(withActionId);
    return kept;
  });
}
