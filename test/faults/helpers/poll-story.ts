import type { Instance } from '../../../src/core/accounts/instances.ts';
import { LowCreditCard as Card, type LowCreditCard } from '../../../src/core/accounts/low-credit-warnings.ts';
import type { Delivery } from '../../../src/core/post-or-retry.ts';
import { TOPICS } from '../../../src/core/topics.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { OutboxRow } from '../../../src/ledger/outbox/outbox-types.ts';
import {
  ACME,
  addInstance,
  type Boot,
  type CoreWorld,
  linkTo,
  type Run,
  run,
} from '../../helpers/core-world.ts';
import { createCreditWitness } from './credit-witness.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The points between a poll and its warning at which a process may die. */
export const DEATHS = [
  'before the request',
  'before the figure is written',
  'after the figure is written',
  'before the warning is decided',
  'after the warning is decided',
  'before the post',
  'after the post',
] as const;
export type Death = (typeof DEATHS)[number];

/** After these deaths, the warning is in the outbox, and must arrive as decided. */
const DECIDED: readonly Death[] = ['after the warning is decided', 'before the post', 'after the post'];

/** How many rounds sleep between two polls. If all of them sleep, nothing is under way. */
const ROUNDS = 8;

const CHANNELS = { 'C-hundred': 100, 'C-forty': 40 };
type Channel = keyof typeof CHANNELS;

/** Bots on one store, one after another. Their clock is set, and they die. The story checks each read and each card. */
export interface PollStory {
  isAlive(): boolean;
  /** Whether a warning was decided but not posted. Its figure must not change until then. */
  owesCard(): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): void;
  /** The bot dies when it reaches this point next. This replaces an earlier `dieAt`. */
  dieAt(death: Death | undefined): void;
  setCredits(credits: number): void;
  /** A person asks for the balance. */
  ask(): Promise<void>;
  /** Time passes, or a bot dies meanwhile. Then people must have read exactly the right cards. */
  advance(ms: number): Promise<void>;
  setWall(byMs: number): void;
  suspend(ms: number): void;
  /** The faults in the times of the polls. */
  wrongPolls(): string[];
  seen: { polls: number; cards: number; deaths: number; starts: number };
}

/** Begins with a bot, a linked instance and a first balance. */
export async function createPollStory(
  world: CoreWorld,
  time: VirtualTime,
  pollMs: number,
): Promise<PollStory> {
  const { service } = world;
  const witnesses = Object.fromEntries(
    Object.entries(CHANNELS).map(([channel, threshold]) => [channel, createCreditWitness(threshold)]),
  ) as Record<Channel, ReturnType<typeof createCreditWitness>>;
  const read: Record<Channel, { id: string; level: LowCreditCard['level'] }[]> = {
    'C-hundred': [],
    'C-forty': [],
  };
  const lives: { from: number; to?: number; polls: number[] }[] = [];
  const early: string[] = [];
  const seen = { polls: 0, cards: 0, deaths: 0, starts: 0 };
  /** Figures that the service has answered and the bot still looks at. */
  let answered: number[] = [];
  let armed: Death | undefined;
  let died: { at: Death; channel?: Channel } | undefined;
  let owesCard = false;
  /** Posted cards that are not noted, each with its bot's number. After that bot's end they are posted again. */
  const unnoted = new Map<string, { level: string; life: number }>();
  let running: (Run & { isDead: boolean; nextDue: Ledger['nextDueAt'] }) | undefined;
  let instance: Instance | undefined;
  let asking = false;
  let lastPoll = Number.NEGATIVE_INFINITY;
  /** Whether somebody moved the store's clock since the last poll. */
  let moved = false;
  let wallSetBy = 0;

  service.on('request', ({ endpoint }) => {
    if (endpoint !== 'balance' || asking) return;
    const at = time.clock.steady();
    const life = lives.at(-1);
    if (at - lastPoll < pollMs * 0.9 && !moved)
      early.push(`a poll ${Math.round(at - lastPoll)} ms after the last`);
    life?.polls.push(at);
    lastPoll = at;
    moved = false;
    seen.polls += 1;
  });
  service.on('answer', ({ endpoint, status }) => {
    if (endpoint === 'balance' && status === 200) answered.push(service.credits(ACME));
  });

  function dies(at: Death, channel?: Channel): boolean {
    if (armed !== at) return false;
    armed = undefined;
    died = { at, ...(channel ? { channel } : {}) };
    owesCard = DECIDED.includes(at);
    end();
    return true;
  }

  function end(): void {
    if (!running) return;
    running.isDead = true;
    running.kill();
    seen.deaths += 1;
    closeLife();
  }

  function closeLife(): void {
    const life = lives.at(-1);
    if (life) life.to = time.clock.steady();
  }

  const never = new Promise<never>(() => {});

  function prepare({ tap }: Boot): void {
    tap.intercept('permitBalanceRead', (real) => async (...args) => {
      const taken = await real(...args);
      return dies('before the request') ? never : taken;
    });
    tap.intercept('recordBalance', (real) => async (marker, credits) => {
      if (dies('before the figure is written')) return never;
      const recorded = await real(marker, credits);
      return dies('after the figure is written') ? never : recorded;
    });
    tap.intercept('markPosted', (real) => async (id, ...rest) => {
      await real(id, ...rest);
      unnoted.delete(id);
    });
    tap.intercept('changeState', (real) => async (name, ...rest) => {
      const channel = channelIn(name);
      if (dies('before the warning is decided', channel)) return never;
      const done = await real(name, ...rest);
      return dies('after the warning is decided', channel) ? never : done;
    });
  }

  async function deliver(row: OutboxRow): Promise<Delivery> {
    if (row.topic !== TOPICS.lowCredit) return { kind: 'posted', posted: null };
    const { channel, level } = Card.parse(row.details);
    if (dies('before the post', channel as Channel)) return never;
    const posts = read[channel as Channel];
    const before = unnoted.get(row.id);
    unnoted.set(row.id, { level, life: lives.length });
    const isRepeat = before?.level === level && before.life !== lives.length;
    if (!isRepeat) {
      posts.push({ id: row.id, level });
      seen.cards += 1;
    }
    if (dies('after the post', channel as Channel)) return never;
    return { kind: 'posted', posted: { ts: row.id } };
  }

  async function isIdle(sleepers: number): Promise<boolean> {
    if (!running || running.isDead) return true;
    return sleepers >= ROUNDS && (await running.nextDue()) === undefined;
  }

  /** A live bot's figures count. A dead bot's count as far as it got. */
  function settleFigures(): void {
    for (const credits of answered) {
      for (const [channel, witness] of Object.entries(witnesses)) {
        if (!died) witness.saw(credits);
        else if (died.channel === channel) {
          if (died.at !== 'before the warning is decided') witness.saw(credits);
        } else if (died.channel) witness.saw(credits, true);
      }
    }
    answered = [];
    died = undefined;
  }

  function check(): void {
    settleFigures();
    if (!running || running.isDead) return;
    owesCard = false;
    for (const [channel, witness] of Object.entries(witnesses)) {
      const cards = read[channel as Channel].map(({ level }) => level);
      if (!witness.agrees(cards)) {
        throw new Error(`${channel} read “${cards.join(' ')}”, and should have read “${witness.expected()}”`);
      }
    }
  }

  async function start(): Promise<void> {
    if (wallSetBy !== 0) moved = true;
    wallSetBy = 0;
    time.boot();
    lives.push({ from: time.clock.steady(), polls: [] });
    seen.starts += 1;
    let nextDue: Ledger['nextDueAt'] | undefined;
    const started = await run(world, {
      balancePollMs: pollMs,
      deliver,
      prepare(booted) {
        nextDue = booted.ledger.nextDueAt;
        booted.tap.intercept('nextDueAt', (real) => {
          nextDue = real;
          return real;
        });
        prepare(booted);
      },
    });
    running = Object.assign(started, { isDead: false, nextDue: nextDue as Ledger['nextDueAt'] });
    await advance(0);
  }

  async function advance(ms: number): Promise<void> {
    await time.advance(ms, isIdle);
    check();
  }

  async function ask(): Promise<void> {
    if (!running || !instance || running.isDead) return;
    asking = true;
    const asked = running.core.credit.read(instance, 'interactive');
    // A person who asks a dying bot gets no answer.
    let done = false;
    void asked.then(() => {
      done = true;
    });
    await time.advance(0, async (sleepers) => (done || running?.isDead === true) && isIdle(sleepers));
    asking = false;
    check();
  }

  await start();
  // To test the key, the bot reads the balance.
  asking = true;
  instance = await addInstance((running as unknown as Run).core);
  for (const [channel, threshold] of Object.entries(CHANNELS)) {
    await linkTo((running as unknown as Run).core, instance, { threshold }, channel);
  }
  await ask();

  return {
    isAlive: () => running?.isDead === false,
    owesCard: () => owesCard,
    start,
    async stop() {
      await running?.stop();
      if (running) running.isDead = true;
      closeLife();
    },
    kill: end,
    dieAt(death) {
      armed = death && (armed ?? death);
    },
    setCredits: (credits) => service.setCredits(ACME, credits),
    ask,
    advance,
    setWall(byMs) {
      wallSetBy += byMs;
      time.setWall(byMs);
    },
    suspend(ms) {
      moved = true;
      time.suspend(ms);
    },
    wrongPolls: () => [...early, ...starved(lives, time.clock.steady(), pollMs)],
    seen,
  };
}

function channelIn(name: string): Channel {
  const found = Object.keys(CHANNELS).find((channel) => name.includes(channel));
  return found as Channel;
}

/** While it lives, each bot must poll within an interval of its start, and then of its last poll. */
function starved(
  lives: { from: number; to?: number; polls: number[] }[],
  now: number,
  pollMs: number,
): string[] {
  return lives.flatMap(({ from, to = now, polls }) => {
    const moments = [from, ...polls, to];
    return moments
      .slice(1)
      .map((at, index) => at - (moments[index] as number))
      .filter((gap) => gap > pollMs + 1)
      .map((gap) => `no poll for ${Math.round(gap / 1000)} s`);
  });
}
