import type {
  AccountRecord,
  ChunkRecord,
  ChunkState,
  Json,
  LedgerMessage,
  Resends,
  SendKind,
  SendRecord,
  SendState,
  Tally,
} from '../ledger.ts';
import type { Reply } from './run.ts';

/** The fields of a hash; all of them are text. */
export type Fields = Map<string, string>;

/** The fields of a hash as Redis hands them out, or nothing where there is no such hash. */
export function fieldsOf(reply: Reply | undefined): Fields | undefined {
  const flat = reply as string[];
  if (flat.length === 0) return undefined;
  const fields: Fields = new Map();
  for (let i = 0; i < flat.length; i += 2) fields.set(flat[i] as string, flat[i + 1] as string);
  return fields;
}

/** A send from its hash. */
export function sendOf(fields: Fields): SendRecord {
  return {
    id: text(fields, 'id'),
    team: text(fields, 'team'),
    place: text(fields, 'place'),
    instance: text(fields, 'instance'),
    kind: text(fields, 'kind') as SendKind,
    state: text(fields, 'state') as SendState,
    details: JSON.parse(text(fields, 'details')) as Json,
    topics: JSON.parse(text(fields, 'topics')) as string[],
    createdAt: Number(text(fields, 'createdAt')),
    expiresAt: Number(text(fields, 'expiresAt')),
    inFlightLimit: Number(text(fields, 'inFlightLimit')),
    unknownRun: Number(text(fields, 'unknownRun')),
    ...optional(fields, 'keeps', json),
    ...optional(fields, 'decidedAt', Number),
    ...optional(fields, 'decidedBy', String),
    ...optional(fields, 'endedAt', Number),
    ...optional(fields, 'pauseReason', String),
    ...optional(fields, 'servedAt', Number),
    ...optional(fields, 'resends', (json) => JSON.parse(json) as Resends),
  };
}

/** A chunk from its address and its hash. */
export function chunkOf(send: string, index: number, fields: Fields): ChunkRecord {
  return {
    send,
    index,
    state: text(fields, 'state') as ChunkState,
    messages: JSON.parse(text(fields, 'messages')) as LedgerMessage[],
    attempt: Number(text(fields, 'attempt')),
    refusals: Number(text(fields, 'refusals')),
    ...optional(fields, 'parent', Number),
    ...optional(fields, 'token', String),
    ...optional(fields, 'deadline', Number),
    ...optional(fields, 'notBefore', Number),
    ...optional(fields, 'account', String),
    ...optional(fields, 'result', json),
    ...optional(fields, 'otherStatus', String),
    ...optional(fields, 'evidence', json),
    ...optional(fields, 'resentAs', String),
    ...optional(fields, 'saidSentBy', String),
    ...optional(fields, 'settledAt', Number),
  };
}

const STATES: readonly ChunkState[] = [
  'pending',
  'sending',
  'sent',
  'rejected',
  'not_sent',
  'unknown',
  'cancelled',
  'split',
];

/** A send's counts, which its hash carries. */
export function tallyOf(fields: Fields | undefined): Tally {
  const number = (name: string) => Number(fields?.get(name) ?? 0);
  const counts = STATES.map((state) => [
    state,
    { chunks: number(`chunks.${state}`), messages: number(`messages.${state}`) },
  ]);
  const others = [...(fields ?? [])].flatMap(([name, value]) =>
    name.startsWith('other.') && value !== '0' ? [[name.slice('other.'.length), Number(value)]] : [],
  );
  return {
    states: Object.fromEntries(counts) as Tally['states'],
    otherStatuses: Object.fromEntries(others) as Tally['otherStatuses'],
    creditsUsed: number('creditsUsed'),
  };
}

/** An account from its hash; nothing before the first figure. */
export function accountOf(id: string, fields: Fields | undefined): AccountRecord | undefined {
  if (!fields?.has('credits')) return undefined;
  const anchor = fields.get('anchor');
  return {
    id,
    credits: Number(fields.get('credits')),
    asOf: Number(fields.get('asOf')),
    activity: Number(fields.get('activity') ?? 0),
    ...(anchor === undefined
      ? {}
      : {
          anchor: {
            credits: Number(anchor),
            at: Number(fields.get('anchoredAt')),
            receiptsSince: Number(fields.get('receiptsSince')),
          },
        }),
  };
}

/** The text of a field that is always there. */
export function text(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new Error(`a field of the ledger that must be there is not (${name})`);
  return value;
}

function json(value: string): Json {
  return JSON.parse(value) as Json;
}

function optional<K extends string, T>(
  fields: Fields,
  name: K,
  read: (value: string) => T,
): { [key in K]?: T } {
  const value = fields.get(name);
  return value === undefined ? {} : ({ [name]: read(value) } as { [key in K]: T });
}
