import { ActionProblem, type Playground, type Step, type TryThis, type User } from 'slack-playground';
import { z } from 'zod';
import { TOPICS } from '../src/core/topics.ts';
import type { BotFact } from './bot-facts.ts';
import { createListeners } from './listeners.ts';
import { createStepChanges, FEW_CREDITS, type StepChangesOptions } from './step-changes.ts';

const STEPS = ['link', 'send', 'lose_answer', 'run_low', 'guest', 'text_list'] as const;
export type StepId = (typeof STEPS)[number];
/** Facts that some steps need before the bot's next action completes them. */
const FACTS = ['answer_lost', 'checking', 'credits_fell'] as const;
type Fact = (typeof FACTS)[number];

const StepsSnapshot = z.strictObject({
  done: z.array(z.enum(STEPS)),
  /** Ignores facts of other versions. */
  facts: z.array(z.string()).transform((kept) => FACTS.filter((fact) => kept.includes(fact))),
  changes: z.unknown().optional(),
});

/** The words of each step, and the command that it types for the person. The phone numbers are reserved for fiction. */
const WORDS: { [id in StepId]: Omit<Step, 'id' | 'done' | 'needs' | 'copies'> } = {
  link: {
    name: 'Link',
    text: 'Link #sales to prepaid credits, with the sandbox key.',
    by: 'admin',
    types: '/sms link',
    after: 'Copy the sandbox key first: the field API key asks for it.',
  },
  send: {
    name: 'Send',
    text: 'Text a phone. You see the cost first.',
    by: 'staff',
    types: '/sms send +44 20 7946 0958 Hello from Switchboard',
    after: 'Then look at the draft, and press its Send.',
  },
  lose_answer: {
    name: 'Lose an answer',
    text: 'The text goes out, but no answer comes back.',
    by: 'staff',
    types: '/sms send +44 20 7946 0123 Did this one arrive?',
    after: 'Then press Send. The service’s answer will get lost. To prevent that, choose another step.',
  },
  run_low: {
    name: 'Run low',
    text: 'Few credits are left: the bot warns the channel once.',
    by: 'staff',
    types: '/sms balance',
    after: `Somebody else has used all but ${FEW_CREDITS} credits; the next step gives them back. The channel and the admin are warned within seconds.`,
  },
  guest: {
    name: 'Act as a guest',
    text: 'A guest tries to text a phone.',
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
/** What a step copies to the clipboard, for the form that its command opens. */
const SAMPLE_LIST = {
  text: 'phone,name\n+44 20 7946 0101,Ana\n+44 20 7946 0102,Ben\n+44 20 7946 0103,Cem',
  after: 'A list is copied: paste it into Recipients. As the message write: Hello {name}!',
};
const COPIED = 'We copied the key for you: paste it into the field API key.';

export type Steps = ReturnType<typeof createSteps>;

/** Why a step can't begin yet, as a sentence. */
function needsOf(id: StepId, done: ReadonlySet<StepId>, facts: ReadonlySet<Fact>): string | undefined {
  if (id !== 'link' && !done.has('link')) return 'Do step 1 first: #sales has no credits yet.';
  // If this step took credits now, the bot would think that the text with the lost answer had cost them.
  if (id !== 'run_low' || !facts.has('checking')) return undefined;
  return 'One moment: Switchboard is still checking the balance for step 3.';
}

/** The steps as the page shows them; until Link is done, with the key to paste. */
export function tryThisOf(
  done: ReadonlySet<StepId>,
  key: { name: string; key: string } | undefined,
  facts: ReadonlySet<Fact> = new Set(),
): TryThis {
  const shown = done.has('link') ? undefined : key;
  const steps: Step[] = STEPS.map((id) => {
    const needs = needsOf(id, done, facts);
    return {
      id,
      ...WORDS[id],
      done: done.has(id),
      ...(needs !== undefined && { needs }),
      ...(id === 'text_list' && { copies: SAMPLE_LIST }),
      ...(id === 'link' && shown && { copies: { text: shown.key, after: COPIED } }),
    };
  });
  return { steps, ...(shown && { key: { label: 'Sandbox key', name: shown.name, key: shown.key } }) };
}

/**
 * The steps of **Try this**. A step is done when it really happened in the workspace, the service or the bot. The bot's
 * messages don't count. Starts to watch the service immediately.
 */
export function createSteps({ slack, sandbox, loseAnswer }: StepChangesOptions & { slack: Playground }) {
  const { subscribe, tell } = createListeners();
  const done = new Set<StepId>();
  const facts = new Set<Fact>();
  /** The ids of the sends with at least one sent text. */
  const sent = new Set<string>();
  const changes = createStepChanges({ sandbox, loseAnswer });
  let known = creditsNow();

  function creditsNow(): Map<number, number> {
    return new Map(sandbox.state().accounts.map(({ user_id, credits }) => [user_id, credits]));
  }

  function add<T>(known: Set<T>, one: T): void {
    if (known.has(one)) return;
    known.add(one);
    tell();
  }
  const note = (fact: Fact) => add(facts, fact);
  const tick = (step: StepId) => add(done, step);

  sandbox.on('message', () => tick('send'));
  sandbox.on('answer', ({ fault, messagesSent }) => {
    if (fault !== 'reset' || messagesSent === 0) return;
    changes.lost();
    note('answer_lost');
  });
  sandbox.on('credits', ({ user_id, credits }) => {
    if (credits < (known.get(user_id) ?? 0)) note('credits_fell');
    known.set(user_id, credits);
  });

  /** The first key that works, with its account. */
  function firstKey() {
    return sandbox.state().instances.find(({ revoked }) => !revoked);
  }

  function reset(): void {
    done.clear();
    facts.clear();
    sent.clear();
    changes.restore();
    known = creditsNow();
    tell();
  }

  return {
    state: () => tryThisOf(done, firstKey(), facts),
    subscribe,
    start(id: string): void {
      const step = STEPS.find((one) => one === id);
      if (!step) throw new ActionProblem('There is no such step.');
      const needs = needsOf(step, done, facts);
      if (needs !== undefined) throw new ActionProblem(needs);
      const account = firstKey()?.user_id;
      if (step === 'run_low' && account !== undefined) changes.takeCredits(account);
      else changes.returnCredits();
      changes.setLosing(step === 'lose_answer');
      tell();
    },
    commandTyped(user: User): void {
      // Before a channel is linked, everybody is refused alike.
      if (user.is_restricted && done.has('link')) tick('guest');
    },
    /** Call this with each line of the bot's log. */
    botDid({ send, becomes, posted, verdict, result, channel, linked }: BotFact): void {
      if (channel === slack.channels.sales.id && linked) tick('link');
      if (channel === slack.channels.sales.id && linked === false && done.delete('link')) tell();
      if (facts.has('answer_lost') && becomes === 'unknown') note('checking');
      const decided = verdict !== undefined || result === 'decided';
      if (decided && facts.delete('checking')) {
        done.add('lose_answer');
        tell();
      }
      // A quick list is sent before the bot posts its card. While a slow list runs, the bot posts the card again later.
      if (send !== undefined && becomes === 'sent') sent.add(send);
      if (send !== undefined && posted === TOPICS.job && sent.has(send)) tick('text_list');
      if (facts.has('credits_fell') && posted === TOPICS.lowCredit) tick('run_low');
    },
    snapshot: (): z.input<typeof StepsSnapshot> => {
      return { done: [...done], facts: [...facts], changes: changes.snapshot() };
    },
    /** Restores a snapshot. Throws a ZodError if it is no snapshot. */
    restore(snapshot: unknown): void {
      const kept = StepsSnapshot.parse(snapshot);
      reset();
      for (const step of kept.done) done.add(step);
      for (const fact of kept.facts) facts.add(fact);
      changes.restore(kept.changes);
    },
    reset,
  };
}
