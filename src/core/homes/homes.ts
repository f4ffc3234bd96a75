import type { Ledger } from '../../ledger/ledger.ts';
import type { Person } from '../accounts/permissions.ts';
import { type HistoryRow, historyRows } from '../history/history-rows.ts';
import { createUnknownFacts, type UnknownFacts } from './unknown-facts.ts';
import { createWorkspaceFacts, type WorkspaceFacts } from './workspace-facts.ts';

/** How many of their own last sends people see on their Home. */
const LAST_SENDS = 5;

/** The Homes that people have open, and what they show. */
export interface Homes {
  /** What all Homes of the workspace show. */
  facts(team: string): Promise<WorkspaceFacts>;
  /** The unknown messages, which only admins see there; as of `maxAgeMs` ago or later. */
  unknown(team: string, maxAgeMs: number): Promise<UnknownFacts>;
  /** What this person sent last, newest first. */
  lastSends(person: Person): Promise<HistoryRow[]>;
  opened: Ledger['openHome'];
  /** Homes that somebody should look at now, each for one caller. */
  takeDue: Ledger['takeDueHomes'];
  note: Ledger['noteHome'];
  forget: Ledger['forgetHome'];
}

export function createHomes(deps: Parameters<typeof createWorkspaceFacts>[0] & { ledger: Ledger }): Homes {
  const { ledger } = deps;
  return {
    facts: createWorkspaceFacts(deps),
    unknown: createUnknownFacts(deps),
    async lastSends(person) {
      const last = await ledger.history({ team: person.team, by: person.id, limit: LAST_SENDS });
      return historyRows(ledger, last, person);
    },
    opened: ledger.openHome,
    takeDue: ledger.takeDueHomes,
    note: ledger.noteHome,
    forget: ledger.forgetHome,
  };
}
