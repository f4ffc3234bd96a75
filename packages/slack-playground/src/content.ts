import { checkMessageBlocks, checkView, MAX_BLOCKS_SIZE, MAX_VIEW_SIZE } from './blocks/check.ts';
import { inWords } from './blocks/problems.ts';
import { jsonOf } from './json-of.ts';
import type { Content } from './messages.ts';
import type { Records } from './records.ts';
import { Refusal } from './refusal.ts';
import type { Json } from './types.ts';

/** How long a message's `text` may be, in characters. */
const MAX_TEXT = 40_000;

function asJson(value: unknown, error: string): unknown {
  if (typeof value !== 'string') return value;
  const json = jsonOf(value);
  if (json === undefined) throw new Refusal(error);
  return json;
}

/**
 * Reads a message from the arguments of `source`. Throws no_text, msg_too_long, invalid_blocks_format,
 * msg_blocks_too_long or invalid_blocks, and records the last two. Records a warning for blocks without a `text`.
 */
export function readContent(source: string, args: Json, records: Records): Content {
  const text = typeof args.text === 'string' ? args.text : '';
  const blocks = asJson(args.blocks ?? [], 'invalid_blocks_format');
  if (!Array.isArray(blocks)) throw new Refusal('invalid_blocks_format');
  if (text.length > MAX_TEXT) throw new Refusal('msg_too_long');
  const problems = checkMessageBlocks(blocks);
  const size = blocks.length > 0 ? JSON.stringify(blocks).length : 0;
  if (problems.length > 0 || size > MAX_BLOCKS_SIZE) {
    const code = problems.length > 0 ? 'invalid_blocks' : 'msg_blocks_too_long';
    records.failed(source, code, problems.map(inWords));
    throw new Refusal(code, problems.map(inWords));
  }
  if (text.trim() === '') {
    if (blocks.length === 0) throw new Refusal('no_text');
    records.warned(source, 'blocks without a text: notifications and screen readers have nothing to say');
  }
  const thread = typeof args.thread_ts === 'string' ? { thread_ts: args.thread_ts } : {};
  return { text, blocks, ...thread };
}

/** Reads a modal, or with `checkHome` a Home tab. Throws view_too_large, or invalid_arguments, which it records. */
export function readView(source: string, value: unknown, records: Records, check = checkView): Json {
  const view = asJson(value, 'invalid_arguments');
  const problems = check(view);
  if (problems.length > 0) {
    records.failed(source, 'invalid_arguments', problems.map(inWords));
    throw new Refusal('invalid_arguments', problems.map(inWords));
  }
  if (JSON.stringify(view).length > MAX_VIEW_SIZE) throw new Refusal('view_too_large');
  return view as Json;
}
