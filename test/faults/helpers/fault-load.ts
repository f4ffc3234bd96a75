import { setTimeout as sleep } from 'node:timers/promises';
import { type Ephemeral, textOf } from 'slack-playground';
import type { World } from '../../helpers/world.ts';
import { eventually } from '../../helpers/world-steps.ts';

/** People go on while something fails: they type commands, draft texts and press Send. */
export interface Load {
  /** The bot's answers in their order. `at`: when a person asked, by `performance.now()`. */
  answers: { at: number; text: string }[];
  /** Faults of the bot: requests that it acked too late or never answered. */
  wrong: string[];
  /** The drafts whose Send somebody pressed. */
  clicked: { preview: Ephemeral; digits: string; text: string }[];
  slowestAckMs: number;
  /** Asks no more; resolves once every request has its answer. */
  stop(): Promise<void>;
}

/** Every answer takes less than this. Other checks find late ones. */
const ANSWER_WITHIN_MS = 15_000;

/** Every `everyMs`, somebody asks for a balance, or drafts and sends a text. `name` makes the texts unique. */
export function startLoad(world: World, name: string, everyMs = 250): Load {
  const { slack } = world;
  const { people, channels } = slack;
  const asked = new Set<Promise<void>>();
  let stopped = false;
  let turn = 0;

  const load: Load = { answers: [], wrong: [], clicked: [], slowestAckMs: 0, stop };

  async function stop(): Promise<void> {
    stopped = true;
    await ticking;
    await Promise.all(asked);
  }

  function note(begin: () => Promise<void>): void {
    const one = begin().catch((error: unknown) => {
      load.wrong.push(String(error));
    });
    asked.add(one);
    void one.finally(() => asked.delete(one));
  }

  async function answerOf(
    what: string,
    ask: () => Promise<Awaited<ReturnType<typeof slack.command>>>,
  ): Promise<Ephemeral | undefined> {
    const at = performance.now();
    const reaction = await ask();
    load.slowestAckMs = Math.max(load.slowestAckMs, reaction.ms);
    if (reaction.status !== 200 || reaction.toast !== null) {
      load.wrong.push(`${what}: ${reaction.status} ${reaction.toast}`);
      return undefined;
    }
    const reply = await reaction.reply(ANSWER_WITHIN_MS).catch(() => undefined);
    if (!reply) {
      load.wrong.push(`${what}: acknowledged, and never answered`);
      return undefined;
    }
    load.answers.push({ at, text: textOf(reply) });
    return reply as Ephemeral;
  }

  const command = (text: string) =>
    answerOf(text, () => slack.command({ user: people.member, channel: channels.sales, text }));

  async function textSomebody(place: number): Promise<void> {
    const digits = `442079460${String(place % 1000).padStart(3, '0')}`;
    const text = `${name}, text ${place}`;
    const preview = await command(`send +${digits} ${text}`);
    if (!preview || !textOf(preview).includes('[Send]')) return;
    load.clicked.push({ preview, digits, text });
    await answerOf('a click on Send', () =>
      slack.click({ user: preview.to, message: preview, text: 'Send', forged: true }),
    );
  }

  async function tick(): Promise<void> {
    for (; !stopped; turn += 1) {
      const place = turn;
      note(place % 2 === 0 ? () => textSomebody(place) : async () => void (await command('balance')));
      await sleep(everyMs);
    }
  }

  const ticking = tick();
  return load;
}

/** What the person sees of a clicked text at the end: a receipt, or the draft as before. */
export type Shown = 'sent' | 'unknown' | 'not sent' | 'draft';

/** Resolves with the end of each clicked text, after `ms` at most for those in flight. */
export async function endsOf(world: World, { clicked }: Load, ms = 20_000): Promise<Shown[]> {
  return Promise.all(
    clicked.map(({ preview, text }) =>
      eventually(() => {
        const now = world.slack.ephemerals(preview.to).find(({ ts }) => ts === preview.ts);
        const words = now ? textOf(now) : '';
        if (words.includes('[Send]')) return 'draft';
        if (/^✅ \*Sent\*/.test(words)) return 'sent';
        if (/^⚠️ \*Unknown\*/.test(words)) return 'unknown';
        return /not sent|Not sent/.test(words) ? 'not sent' : undefined;
      }, ms).catch(() => {
        throw new Error(`“${text}” never came to an end`);
      }),
    ),
  );
}
