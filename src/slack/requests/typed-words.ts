import { readSend } from '../../core/sends/typed-send.ts';
import type { Prefill } from '../ui/prefill.ts';

/** The number and the text that were typed after `/sms send`, as far as both can be recognised. */
export function typedWords(rest: string): Prefill {
  const asked = readSend(rest);
  return 'given' in asked ? { recipient: asked.given.number, message: asked.given.text } : {};
}
