import { BUDGET_TOPIC } from '../ledger/rules/put-send.ts';

/** Topics of a send: their rows' subject is its id. */
const OF_A_SEND = {
  /** The answer to the person who asked for a single send. */
  receipt: 'receipt',
  /** Its line in the channel. */
  line: 'line',
  /** A bulk job's card in its channel. */
  job: 'job',
  /** A job's pause, for the person who sent it: Slack notifies nobody of a card that changes. */
  pause: 'pause',
  /** A request for approval by a second person: its card, and the decision. */
  approval: 'approval',
  /** An answer came for a send whose record the store has lost. */
  lostRecord: 'lost_record',
} as const;

/** What outbox rows are about. `slack/delivery` has words for each. */
export const TOPICS = {
  ...OF_A_SEND,
  lowCredit: 'low_credit',
  keyHealth: 'key_health',
  /** The bot no longer trusts that an instance refuses lists as a whole. */
  refusals: 'refusals',
  /** Somebody else uses an account's credits. */
  drift: 'drift',
  linkChanged: 'link_changed',
  /** A budget has reached a level that people should know of. */
  budget: BUDGET_TOPIC,
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

const SEND_TOPICS: readonly string[] = Object.values(OF_A_SEND);

/** The fields of a log line about a row. They name its send, so a search for the send finds the line. */
export function rowForLog({ id, topic, subject }: { id: string; topic: string; subject: string }) {
  return { row: id, ...(SEND_TOPICS.includes(topic) ? { send: subject } : {}) };
}
