import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Fault, type FaultInput, type Sandbox, type Switches } from 'credit-sandbox';
import { ActionProblem, type PlaygroundPanels } from 'slack-playground';
import { z } from 'zod';
import { formatNumber } from '../src/core/texts/phone-format.ts';
import { createListeners } from './listeners.ts';

/** What the panels show, by id. */
export type PanelStates = { phones: PhonesPanelState; service: ServicePanelState };

/** The page shows this many of the newest texts. */
const SHOWN_TEXTS = 100;
/** How long to collect changes before we tell the page, in ms: a list changes hundreds of texts within a moment. */
const GATHER_MS = 50;
/** The `Retry-After` of the answer to too many requests, in seconds. */
const RETRY_AFTER_S = 5;

/** The delay before the service charges a refused list, or shows the charge, in seconds. */
const LATE_S = 20;

const TOO_MANY = {
  success: false,
  error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests in this minute.' },
};

/** The fault that loses the answer to the next text. */
export const LOST_ANSWER = 'answer_lost';

/**
 * What can go wrong, by the id that the page uses. A "The next text …" fault hits the next request with texts, once.
 * The others stay on until somebody turns them off.
 */
const FAULTS: { [id: string]: { sentence: string; fault: FaultInput } } = {
  [LOST_ANSWER]: {
    sentence: 'The next text arrives, its answer is lost',
    fault: { kind: 'reset', endpoint: 'texts', when: 'after' },
  },
  cut_off: {
    sentence: 'The next text fails before it is sent',
    fault: { kind: 'reset', endpoint: 'texts', when: 'before' },
  },
  hangs: { sentence: 'The service hangs', fault: { kind: 'hang', when: 'before', times: 'always' } },
  too_many: {
    sentence: 'It says: too many requests',
    fault: {
      kind: 'answer',
      when: 'before',
      times: 'always',
      status: 429,
      headers: { 'Content-Type': 'application/json', 'Retry-After': String(RETRY_AFTER_S) },
      body: JSON.stringify(TOO_MANY),
    },
  },
  broken: {
    sentence: 'It breaks down (500)',
    fault: { kind: 'server_error', when: 'before', times: 'always' },
  },
  proxy_page: {
    sentence: 'A proxy answers with a web page',
    fault: { kind: 'bad_gateway', when: 'before', times: 'always' },
  },
  key_refused: { sentence: 'The key is refused', fault: { kind: 'key_revoked', times: 'always' } },
};

type Refusal = Switches['bulkRefusal'];

/** What the service does with a refused list; the page uses `kind` as the id. */
const REFUSED_LISTS: { sentence: string; refusal: Refusal }[] = [
  { sentence: 'Nothing sent', refusal: { kind: 'whole' } },
  { sentence: 'First part sent and charged', refusal: { kind: 'charges' } },
  { sentence: 'First part sent, not charged', refusal: { kind: 'rolls_back' } },
  {
    sentence: `First part sent, charged ${LATE_S} s later`,
    refusal: { kind: 'charges_later', ms: LATE_S * 1000 },
  },
  {
    sentence: `First part sent, charge shows ${LATE_S} s later`,
    refusal: { kind: 'shows_old_balance', ms: LATE_S * 1000 },
  },
];

/** A fictitious number that only the service refuses. The bot itself skips numbers that it knows to be wrong. */
export const REFUSED_NUMBER = '447700900404';

const CreditsChange = z.object({ account: z.number().int(), credits: z.number().int().min(0).max(1e9) });

function matchesFault(id: string, { skip: _, ...fault }: Fault): boolean {
  const wanted = FAULTS[id];
  if (!wanted) return false;
  const { skip: __, ...whole } = Fault.parse(wanted.fault);
  return isDeepStrictEqual(fault, whole);
}

/** The state of the service's panel: accounts, keys, faults and what happens to a refused list. */
export type ServicePanelState = ReturnType<typeof serviceState>;

function serviceState(sandbox: Sandbox) {
  const { accounts, instances, faults, switches } = sandbox.state();
  const chosen: string = switches.bulkRefusal.kind;
  const choices: { id: string; sentence: string }[] = REFUSED_LISTS.map(({ sentence, refusal }) => {
    return { id: refusal.kind, sentence };
  });
  return {
    accounts: accounts.map(({ user_id: id, user_name: name, credits }) => ({ id, name, credits })),
    keys: instances.map(({ name, key, user_id: account, revoked }) => ({ name, key, account, revoked })),
    /** The faults to choose from, as sentences; `active`: the fault is switched on, or has not happened yet. */
    faults: Object.entries(FAULTS).map(([id, { sentence }]) => {
      return { id, sentence, active: faults.some((fault) => matchesFault(id, fault)) };
    }),
    /** What the service can do with a refused list, as sentences. It always refuses `number`. */
    refusedLists: { chosen, choices, number: formatNumber(`+${REFUSED_NUMBER}`) },
  };
}

export type PhonesPanelState = ReturnType<typeof phonesState>;

function phonesState({ messages }: Sandbox) {
  return {
    /** How many texts have arrived so far. */
    textsInAll: messages.length,
    /** The newest of them, in their order. */
    texts: messages.slice(-SHOWN_TEXTS).map(({ id, phone, text, at }) => {
      return { id, phone: formatNumber(`+${phone.replace(/^\+/, '')}`), text, at };
    }),
  };
}

/** The panels of the phones and of the service. Their page modules are in `page/`. */
export function createPanels(sandbox: Sandbox) {
  const listeners = createListeners();
  const state = (): PanelStates => ({ phones: phonesState(sandbox), service: serviceState(sandbox) });

  // Most requests change nothing on the page, so tell it only about real changes.
  let publishedState = JSON.stringify(state());
  function publishIfChanged(): void {
    const now = JSON.stringify(state());
    if (now === publishedState) return;
    publishedState = now;
    listeners.tell();
  }
  let isGathering = false;
  function publishSoon(): void {
    if (isGathering) return;
    isGathering = true;
    setTimeout(() => {
      isGathering = false;
      publishIfChanged();
    }, GATHER_MS).unref();
  }
  for (const event of ['answer', 'message', 'credits'] as const) sandbox.on(event, publishSoon);

  /** The actions of the service's panel. */
  const actions: { [action: string]: (body: unknown) => void } = {
    fault(body) {
      const { id, on } = read(z.object({ id: z.string(), on: z.boolean() }), body);
      const chosen = FAULTS[id];
      if (!chosen) throw new ActionProblem('There is no such fault.');
      const others = sandbox.state().faults.filter((fault) => !matchesFault(id, fault));
      sandbox.clearFaults();
      for (const fault of others) sandbox.addFault(fault);
      if (on) sandbox.addFault(chosen.fault);
      publishIfChanged();
    },
    'refused-lists'(body) {
      const { id } = read(z.object({ id: z.string() }), body);
      const chosen = REFUSED_LISTS.find(({ refusal }) => refusal.kind === id);
      if (!chosen) throw new ActionProblem('There is no such choice.');
      sandbox.setSwitches({ bulkRefusal: chosen.refusal });
      publishIfChanged();
    },
    credits(body) {
      const { account, credits } = read(CreditsChange, body);
      if (!sandbox.state().accounts.some((one) => one.user_id === account))
        throw new ActionProblem('There is no such account.');
      sandbox.setCredits(account, credits);
    },
  };

  return {
    folder: join(import.meta.dirname, 'page'),
    tabs: [
      { id: 'phones', name: 'Phones', icon: 'phone' },
      { id: 'service', name: 'Service', icon: 'dial' },
    ],
    state,
    subscribe: listeners.subscribe,
    act(action, body) {
      if (!Object.hasOwn(actions, action)) throw new ActionProblem('There is no such action.');
      actions[action]?.(body);
    },
  } satisfies PlaygroundPanels;
}

/** @throws ActionProblem if the body does not fit the schema */
function read<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ActionProblem('This is not what the page may ask for.');
}
