import { isDeepStrictEqual } from 'node:util';
import { Fault, type FaultInput, type Sandbox, type Switches } from 'credit-sandbox';
import { ActionProblem, type PageService, type PlaygroundService } from 'slack-playground';
import { formatNumber } from '../src/core/texts/phone-format.ts';

/** How many texts the page gets: the latest. */
const SHOWN_TEXTS = 100;
/** Changes are gathered so long, ms: a list's texts come by the hundred, and the service must not wait for the page. */
const GATHER_MS = 50;
/** How long the service asks to wait where it says that there were too many requests, seconds. */
const RETRY_AFTER_S = 5;

/** How long a refused list's charge takes to come or to show where it is late, seconds. */
const LATE_S = 20;

const TOO_MANY = {
  success: false,
  error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests in this minute.' },
};

/**
 * What can go wrong, by the id that the page uses. "The next text …" strikes once, a list's next request too; the
 * others until they are taken back.
 */
const FAULTS: { [id: string]: { sentence: string; fault: FaultInput } } = {
  answer_lost: {
    sentence: 'The next text goes out, but its answer is lost',
    fault: { kind: 'reset', endpoint: 'texts', when: 'after' },
  },
  cut_off: {
    sentence: 'The next text is cut off before it goes out',
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

/** What happens to a list that is refused; the page knows each by its kind. */
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

/** Fictitious; the service refuses it, so that a list can be refused at all: the bot checks numbers before. */
export const REFUSED_NUMBER = '447700900404';

/** The sandbox as the page's panel shows and steers it. */
export function createServicePanel(sandbox: Sandbox): PlaygroundService {
  const listeners = new Set<() => void>();

  function isOf(id: string, { skip: _, ...fault }: Fault): boolean {
    const wanted = FAULTS[id];
    if (!wanted) return false;
    const { skip: __, ...whole } = Fault.parse(wanted.fault);
    return isDeepStrictEqual(fault, whole);
  }

  function state(): PageService {
    const { accounts, instances, faults, switches } = sandbox.state();
    return {
      accounts: accounts.map(({ user_id, user_name, credits }) => ({
        id: user_id,
        name: user_name,
        credits,
      })),
      keys: instances.map(({ name, key, user_id, revoked }) => ({ name, key, account: user_id, revoked })),
      textsInAll: sandbox.messages.length,
      texts: sandbox.messages.slice(-SHOWN_TEXTS).map(({ id, phone, text, at }) => ({
        id,
        phone: formatNumber(`+${phone.replace(/^\+/, '')}`),
        text,
        at,
      })),
      faults: Object.entries(FAULTS).map(([id, { sentence }]) => {
        return { id, sentence, active: faults.some((fault) => isOf(id, fault)) };
      }),
      refusedLists: {
        chosen: switches.bulkRefusal.kind,
        choices: REFUSED_LISTS.map(({ sentence, refusal }) => ({ id: refusal.kind, sentence })),
        number: formatNumber(`+${REFUSED_NUMBER}`),
      },
    };
  }

  // Balances are read all the time: most requests change nothing that is shown.
  let told = JSON.stringify(state());
  function tell(): void {
    const now = JSON.stringify(state());
    if (now === told) return;
    told = now;
    for (const listener of [...listeners]) listener();
  }
  let gathering = false;
  function tellSoon(): void {
    if (gathering) return;
    gathering = true;
    setTimeout(() => {
      gathering = false;
      tell();
    }, GATHER_MS).unref();
  }
  for (const event of ['answer', 'message', 'credits'] as const) sandbox.on(event, tellSoon);

  return {
    state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setFault(id, on) {
      const chosen = FAULTS[id];
      if (!chosen) throw new ActionProblem('There is no such fault.');
      const others = sandbox.state().faults.filter((fault) => !isOf(id, fault));
      sandbox.clearFaults();
      for (const fault of others) sandbox.addFault(fault);
      if (on) sandbox.addFault(chosen.fault);
      tell();
    },
    setRefusedLists(id) {
      const chosen = REFUSED_LISTS.find(({ refusal }) => refusal.kind === id);
      if (!chosen) throw new ActionProblem('There is no such choice.');
      sandbox.setSwitches({ bulkRefusal: chosen.refusal });
      tell();
    },
    setCredits(account, credits) {
      if (!sandbox.state().accounts.some((one) => one.user_id === account)) {
        throw new ActionProblem('There is no such account.');
      }
      sandbox.setCredits(account, credits);
    },
  };
}
