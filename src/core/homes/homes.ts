import type { Ledger } from '../../ledger/ledger.ts';
import type { Person } from '../accounts/permissions.ts';
import { historyRows } from '../history/history-rows.ts';
import { createUnknownFacts } from './unknown-facts.ts';
import { createWorkspaceFacts } from './workspace-facts.ts';

/** How many of their own last sends people see on their Home. */
const LAST_SENDS = 5;

export type Homes = ReturnType<typeof createHomes>;

/** The Homes that people have open, and what they show. */
export function createHomes(deps: Parameters<typeof createWorkspaceFacts>[0] & { ledger: Ledger }) {
  const { ledger } = deps;
  return {
    /** What all Homes of the workspace show. */
    facts: createWorkspaceFacts(deps),
    /** The unknown messages, which only admins see there. `/sms status` shows those of a channel. */
    unknown: createUnknownFacts(deps),
    /** What this person sent last, newest first. */
    async lastSends(person: Person) {
      const last = await ledger.history({ team: person.team, by: person.id, limit: LAST_SENDS });
      return historyRows(ledger, last, person);
    },
    opened: ledger.openHome,
    /** Open Homes that should be checked now. Each goes to one caller only. */
    takeDue: ledger.takeDueHomes,
    note: ledger.noteHome,
    forget: ledger.forgetHome,
  };
}
