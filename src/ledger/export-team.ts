import type { Collection } from '../store/collection.ts';
import type { Steps } from '../store/steps.ts';
import { collections } from './collections.ts';
import { chunkRefOf } from './model/chunk-documents.ts';

interface Exported {
  kind: string;
  id: string;
  value: unknown;
}

type Collections = typeof collections;
type DocumentOf<Of> = Of extends Collection<infer T> ? T : never;

/** Which documents of each collection an export has; undefined: none. */
type InExport = {
  [name in keyof Collections]: ((value: DocumentOf<Collections[name]>, id: string) => boolean) | undefined;
};

/** Every document of a workspace, and of the accounts that pay for it, with its kind; in no promised order. */
export async function* exportTeam(steps: Steps, team: string, accounts: string[]): AsyncIterable<Exported> {
  const mine = new Set<string>();
  const isOfTeam = (value: { team: string }) => value.team === team;
  const isOfSend = (_value: unknown, id: string) => mine.has(chunkRefOf(id).send);
  /** The id of a row or state names its subject: `topic:send:reader`, `alert:team/channel`, `alert:account`. */
  const isAbout = (_value: unknown, id: string) =>
    id.split(/[:/]/).some((part) => part === team || mine.has(part)) ||
    accounts.some((account) => id.endsWith(`:${account}`));

  const inExport: InExport = {
    sends: ({ record }) => isOfTeam(record),
    chunks: isOfSend,
    texts: isOfSend,
    dailySpending: isOfTeam,
    numbers: isOfTeam,
    guards: (_claims, id) => id.startsWith(`${team}/`),
    budgets: isOfTeam,
    heldBack: isOfTeam,
    optOuts: isOfTeam,
    homes: isOfTeam,
    outbox: isAbout,
    namedStates: isAbout,
    accountDays: ({ account }) => accounts.includes(account),
    // What the bot needs to work, and counts of documents that are exported.
    keyPermits: undefined,
    repeatMarks: undefined,
    accounts: undefined,
    optOutCounts: undefined,
  };

  async function* exported(name: keyof Collections): AsyncIterable<Exported> {
    const of: Collection<never> = collections[name];
    const isMine = inExport[name];
    if (!isMine) return;
    for await (const page of steps.documents(of)) {
      for (const { id, value } of page) if (isMine(value, id)) yield { kind: of.name, id, value };
    }
  }

  for await (const send of exported('sends')) {
    mine.add(send.id);
    yield send;
  }
  const { sends: _first, ...others } = collections;
  for (const name of Object.keys(others)) yield* exported(name as keyof typeof others);
}
