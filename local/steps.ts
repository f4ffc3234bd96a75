import type { Sandbox } from 'credit-sandbox';
import {
  ActionProblem,
  type Change,
  type Playground,
  type PlaygroundSteps,
  type Step,
  type TryThis,
  type User,
} from 'slack-playground';
import { z } from 'zod';
import { TOPICS } from '../src/core/topics.ts';
import type { BotFact } from './bot-facts.ts';

const STEPS = ['link', 'send', 'lose_answer', 'run_low', 'guest', 'text_list'] as const;
export type StepId = (typeof STEPS)[number];
/** What must have happened behind the scenes before an act of the bot completes a step. */
const FACTS = ['key_worked', 'answer_lost', 'credits_fell', 'list_begun'] as const;
type Fact = (typeof FACTS)[number];

const StepsSnapshot = z.strictObject({ done: z.array(z.enum(STEPS)), facts: z.array(z.enum(FACTS)) });

/** Few enough that a channel with the usual threshold of 100 is warned. */
const FEW_CREDITS = 42;

/** What people read of each step, and what it writes. Numbers are of the range that is kept for stories. */
const WORDS: { [id in StepId]: Omit<Step, 'id' | 'done' | 'copies'> } = {
  link: {
    name: 'Link',
    text: 'Link #sales to prepaid credits: paste the sandbox key into the form.',
    by: 'admin',
    types: '/sms link',
    after: 'Copy the sandbox key first: the field API key asks for it.',
  },
  send: {
    name: 'Send',
    text: 'Text a phone. You see the cost before anything is sent.',
    by: 'staff',
    types: '/sms send +44 20 7946 0958 Hello from Switchboard',
    after: 'Then look at the draft, and press its Send.',
  },
  lose_answer: {
    name: 'Lose an answer',
    text: 'The text goes out, but no answer comes back. What now?',
    by: 'staff',
    types: '/sms send +44 20 7946 0123 Did this one arrive?',
    after: 'Then press Send: its answer will be lost.',
  },
  run_low: {
    name: 'Run low',
    text: 'Nearly all credits are gone, and the channel is warned once.',
    by: 'staff',
    types: '/sms balance',
    after: 'Nearly all credits are gone. The channel is warned within seconds, and Home under Apps shows it.',
  },
  guest: {
    name: 'Act as a guest',
    text: 'Somebody with fewer rights tries the same.',
    by: 'guest',
    types: '/sms send +44 20 7946 0958 Hello from a guest',
    after: 'You are the guest now.',
  },
  text_list: {
    name: 'Text a list',
    text: 'Text several people at once, each by name.',
    by: 'staff',
    types: '/sms bulk',
    after: 'Then write one recipient per line, or upload a CSV file.',
  },
};
/** What a step copies to the clipboard, for the form that it opens. */
const SAMPLE_LIST = {
  text: 'phone,name\n+44 20 7946 0101,Ana\n+44 20 7946 0102,Ben\n+44 20 7946 0103,Cem',
  after: 'A list is copied: paste it into Recipients. As the message write: Hello {name}!',
};
const COPIED = 'The key is copied already: paste it into the field API key.';

/** The steps of **Try this**, ticked by what really happened in the workspace, at the service and in the bot. */
export interface Steps extends PlaygroundSteps {
  commandTyped(user: User): void;
  /** The bot says in its log that this happened. */
  botDid(fact: BotFact): void;
  snapshot(): z.infer<typeof StepsSnapshot>;
  /** Throws a ZodError where it is no snapshot. */
  restore(snapshot: unknown): void;
  reset(): void;
}

export interface StepsOptions {
  slack: Playground;
  sandbox: Sandbox;
  /** Loses the answer to the next text. */
  loseAnswer(): void;
}

/** The steps as the page shows them, with the key to paste as long as Link is to do. */
export function tryThisOf(
  done: ReadonlySet<StepId>,
  key: { name: string; key: string } | undefined,
): TryThis {
  const steps: Step[] = STEPS.map((id) => ({
    ...{ id, ...WORDS[id], done: done.has(id) },
    ...(id === 'text_list' && { copies: SAMPLE_LIST }),
  }));
  if (!key || done.has('link')) return { steps };
  return {
    steps: steps.map((step) =>
      step.id === 'link' ? { ...step, copies: { text: key.key, after: COPIED } } : step,
    ),
    key: { label: 'Sandbox key', name: key.name, key: key.key },
  };
}

/** Begins to watch at once. */
export function createSteps({ slack, sandbox, loseAnswer }: StepsOptions): Steps {
  const listeners = new Set<() => void>();
  const done = new Set<StepId>();
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

  function tick(step: StepId): void {
    if (done.has(step)) return;
    done.add(step);
    tell();
  }

  sandbox.on('message', () => {
    tick('send');
    if (facts.has('list_begun')) tick('text_list');
  });
  sandbox.on('answer', ({ endpoint, status, fault, messagesSent }) => {
    if (endpoint === 'balance' && status === 200) note('key_worked');
    if (fault === 'reset' && messagesSent > 0) note('answer_lost');
  });
  sandbox.on('credits', ({ user_id, credits }) => {
    if (credits < (known.get(user_id) ?? 0)) note('credits_fell');
    known.set(user_id, credits);
  });
  slack.subscribe((change) => {
    if (facts.has('key_worked') && isInChannel(change)) tick('link');
  });

  /** Whether the bot says something to a whole channel. */
  function isInChannel(change: Change): boolean {
    if (!('message' in change) || 'to' in change.message) return false;
    const { user, channel } = change.message;
    return user === slack.bot.user_id && slack.channel(channel)?.kind !== 'im';
  }

  /** The first key that works, and whose account it is. */
  function firstKey() {
    return sandbox.state().instances.find(({ revoked }) => !revoked);
  }

  function reset(): void {
    done.clear();
    facts.clear();
    known = creditsNow();
    tell();
  }

  return {
    state: () => tryThisOf(done, firstKey()),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start(id) {
      const step = STEPS.find((one) => one === id);
      if (!step) throw new ActionProblem('There is no such step.');
      if (step === 'lose_answer') loseAnswer();
      const account = firstKey()?.user_id ?? sandbox.state().accounts[0]?.user_id;
      if (step === 'run_low' && account !== undefined) sandbox.setCredits(account, FEW_CREDITS);
    },
    commandTyped(user) {
      // Before a channel is linked, everybody is refused alike.
      if (user.is_restricted && done.has('link')) tick('guest');
    },
    botDid({ becomes, posted }) {
      if (facts.has('answer_lost') && becomes === 'unknown') tick('lose_answer');
      if (posted === TOPICS.job) note('list_begun');
      if (facts.has('credits_fell') && posted === TOPICS.lowCredit) tick('run_low');
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
