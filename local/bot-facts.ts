import { z } from 'zod';
import { jsonOf } from './json-of.ts';

/**
 * What happened, as a line of the bot's log says: which send it is about, what a request became, the topic of a posted
 * message, what the balance says of a text, what somebody says of it, whether a channel is linked now.
 */
const text = z.string().optional();
const BotFact = z.object({
  send: text,
  becomes: text,
  posted: text,
  verdict: text,
  word: text,
  channel: text,
  linked: z.boolean().optional(),
});
export type BotFact = z.infer<typeof BotFact>;

/** Reads the bot's log (JSON lines) as it comes, and calls `tell` with each fact in it. */
export function createFactReader(tell: (fact: BotFact) => void): (part: string) => void {
  let rest = '';
  return (part) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      // Lines that Node itself writes are not JSON.
      const fact = BotFact.safeParse(jsonOf(line)).data;
      if (fact) tell(fact);
    }
  };
}
