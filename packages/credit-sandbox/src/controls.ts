import type { Books, RequestRecord } from './books.ts';
import type { createFaultQueue } from './faults.ts';
import type { SentMessage } from './snapshot.ts';
import type { createSwitches } from './switches.ts';

/** Controls a sandbox and reads its books; code in the process and requests over HTTP use the same ones. */
export type Controls = ReturnType<typeof createControls>;

export function createControls(
  books: Books,
  faults: ReturnType<typeof createFaultQueue>,
  switches: ReturnType<typeof createSwitches>,
) {
  const messages: readonly SentMessage[] = books.messages;
  const requests: readonly RequestRecord[] = books.requests;
  return {
    /** Everything that the sandbox knows, as `GET /sandbox/state` shows it. */
    state: () => ({
      accounts: books.accounts(),
      instances: books.instances(),
      switches: switches.now(),
      faults: faults.list(),
      messages,
      requests,
    }),
    /** Every text that was really sent, oldest first. */
    messages,
    /** Every request of the service's interface, in the order of arrival. */
    requests,
    on: books.on,
    /** Credits of an account now. */
    credits: (user_id: number) => books.account(user_id).credits,
    setCredits: books.setCredits,
    topUp: books.topUp,
    addKey: books.addKey,
    /** From now on the service answers this key with INVALID_API_KEY. */
    revokeKey: books.revokeKey,
    setSwitches: switches.change,
    /** Adds a fault after those that are still to come. */
    addFault: faults.add,
    /** Removes all faults that are still to come. Requests that a fault already holds stay held. */
    clearFaults: faults.clear,
  };
}
