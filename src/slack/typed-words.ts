import { readSend } from '../core/sends/typed-send.ts';
import type { Prefill } from './ui/prefill.ts';

/** What was typed behind `/sms send`, as far as it can be told apart, to be kept where it is refused. */
export function typedWords(rest: string): Prefill {
  const asked = readSend(rest);
  return 'given' in asked ? { recipient: asked.given.number, message: asked.given.text } : {};
}
