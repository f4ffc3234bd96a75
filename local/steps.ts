import type { Sandbox } from 'credit-sandbox';
import { type Change, type Playground, type Step, textOf, type User } from 'slack-playground';
import { z } from 'zod';

const STEPS = ['link', 'send', 'lose_answer', 'run_low', 'guest'] as const satisfies readonly Step[];
/** What has to have happened behind the scenes before the bot's words make a step done. */
const FACTS = ['key_worked', 'answer_lost', 'credits_fell'] as const;
type Fact = (typeof FACTS)[number];

const StepsSnapshot = z.strictObject({ done: z.array(z.enum(STEPS)), facts: z.array(z.enum(FACTS)) });

/** The steps of **Try this**, ticked by what really happened in the workspace and at the service. */
export interface Steps {
  state(): { [step in Step]: boolean };
  /** Calls `listener` after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** Somebody typed a command. */
  commandTyped(user: User): void;
  snapshot(): z.infer<typeof StepsSnapshot>;
  /** Throws a ZodError where it is no snapshot. */
  restore(snapshot: unknown): void;
  reset(): void;
}

/** Begins to watch at once. */
export function createSteps(slack: Playground, sandbox: Sandbox): Steps {
  const listeners = new Set<() => void>();
  const done = new Set<Step>();
  const facts = new Set<Fact>();
  let known = creditsNow();

  function creditsNow(): Map<number, number> {
    return new Map(sandbox.state().accounts.map(({ user_id, credits }) => [user_id, credits]));
  }

  function tell(): void {
    for (const listener of [...listeners]) listener();
  }

  function note(fact: Fact): void {
    if (facts.has(fact)) return;
    facts.add(fact);
    tell();
  }

  function tick(step: Step): void {
    if (done.has(step)) return;
    done.add(step);
    tell();
  }

  sandbox.on('message', () => tick('send'));
  sandbox.on('answer', ({ endpoint, status, fault, messagesSent }) => {
    if (endpoint === 'balance' && status === 200) note('key_worked');
    if (fault === 'reset' && messagesSent > 0) note('answer_lost');
  });
  sandbox.on('credits', ({ user_id, credits }) => {
    if (credits < (known.get(user_id) ?? 0)) note('credits_fell');
    known.set(user_id, credits);
  });

  slack.subscribe((change) => {
    const said = saidByBot(change);
    if (!said) return;
    if (said.toChannel && facts.has('key_worked')) tick('link');
    if (facts.has('answer_lost') && /\bunknown\b/i.test(said.words)) tick('lose_answer');
    const low = /running low|no credits left|too few credits/i.test(said.words);
    if (said.toChannel && facts.has('credits_fell') && low) tick('run_low');
  });

  function saidByBot(change: Change): { words: string; toChannel: boolean } | undefined {
    if (!('message' in change) || change.message.user !== slack.bot.user_id) return undefined;
    const toChannel = !('to' in change.message) && slack.channel(change.message.channel)?.kind !== 'im';
    return { words: textOf(change.message), toChannel };
  }

  function reset(): void {
    done.clear();
    facts.clear();
    known = creditsNow();
    tell();
  }

  return {
    state: () =>
      Object.fromEntries(STEPS.map((step) => [step, done.has(step)])) as ReturnType<Steps['state']>,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    commandTyped(user) {
      if (user.is_restricted) tick('guest');
    },
    snapshot: () => ({ done: [...done], facts: [...facts] }),
    restore(snapshot) {
      const kept = StepsSnapshot.parse(snapshot);
      reset();
      for (const step of kept.done) done.add(step);
      for (const fact of kept.facts) facts.add(fact);
    },
    reset,
  };
}
