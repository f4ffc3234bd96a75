/** What outbox rows are about, named once: whoever posts them has words for each. */
export const TOPICS = {
  /** The answer to who asked for a single send. */
  receipt: 'receipt',
  /** Its line in the channel. */
  line: 'line',
  /** A bulk job's card in its channel. */
  job: 'job',
  lowCredit: 'low_credit',
  keyHealth: 'key_health',
  linkChanged: 'link_changed',
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];
