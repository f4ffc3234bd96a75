import { z } from 'zod';
import { jsonOf } from './json-of.ts';

const text = z.string().optional();
/** The fields of the bot's log lines that tick steps. */
const BotFact = z.object({
  /** The id of the send. */
  send: text,
  /** The outcome of a request. */
  becomes: text,
  /** The topic of a posted message. */
  posted: text,
  /** What the balance says about an unknown text: evidence, no proof. */
  verdict: text,
  /** How a click on **It arrived** or **Leave it** ended: `decided` if the decision counts. */
  result: text,
  channel: text,
  /** Whether the channel is linked now. */
  linked: z.boolean().optional(),
});
export type BotFact = z.infer<typeof BotFact>;

/** Parses each line of the bot's log as JSON, and passes it to `tell`. A line may hold none of these facts. */
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
