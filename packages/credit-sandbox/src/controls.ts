import type { Books, RequestRecord } from './books.ts';
import type { createFaultQueue } from './faults.ts';
import type { SentMessage } from './snapshot.ts';
import type { createSwitches } from './switches.ts';

/** Controls a sandbox and reads its books; code in this process and the HTTP interface use the same functions. */
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
    /** From now on this account pays for the key's texts, and the key's balance is the account's. */
    moveKey: books.moveKey,
    setSwitches: switches.change,
    /** Adds a fault after the pending ones. */
    addFault: faults.add,
    /** Removes all pending faults. Requests that already wait for a fault keep waiting. */
    clearFaults: faults.clear,
  };
}
