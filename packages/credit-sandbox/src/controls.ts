import type { Books, RequestRecord } from './books.ts';
import type { createFaultQueue } from './faults.ts';
import type { SentMessage } from './snapshot.ts';
import type { createSwitches } from './switches.ts';

/** Controls a sandbox and reads its books, in the process and over HTTP alike. */
export type Controls = ReturnType<typeof createControls>;

export function createControls(
  books: Books,
  faults: ReturnType<typeof createFaultQueue>,
  switches: ReturnType<typeof createSwitches>,
) {
  const messages: readonly SentMessage[] = books.messages;
  const requests: readonly RequestRecord[] = books.requests;
  return {
    /** Everything that a sandbox reports about itself. */
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
    /** From now on the key is answered with INVALID_API_KEY. */
    revokeKey: books.revokeKey,
    setSwitches: switches.change,
    /** Adds a fault behind those that are still to come. */
    addFault: faults.add,
    /** Removes all faults that are still to come. Held requests stay held. */
    clearFaults: faults.clear,
  };
}
