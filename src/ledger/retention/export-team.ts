import type { Collection } from '../../store/collection.ts';
import type { Steps } from '../../store/steps.ts';
import { accountDays, dailySpending } from '../accounts/account-documents.ts';
import { namedStates } from '../accounts/named-states.ts';
import { homes } from '../homes/homes.ts';
import { numbers } from '../look-up/number-documents.ts';
import { chunkRefOf, chunks, texts } from '../model/chunk-documents.ts';
import { sends } from '../model/send-documents.ts';
import { optOuts } from '../opt-outs/opt-out-documents.ts';
import { outbox } from '../outbox/outbox-documents.ts';
import { budgets, guards, heldBack } from '../rules/rule-documents.ts';

interface Exported {
  kind: string;
  id: string;
  value: unknown;
}

/** Every document of a workspace, and of the accounts that pay for it, with its kind; in no promised order. */
export async function* exportTeam(steps: Steps, team: string, accounts: string[]): AsyncIterable<Exported> {
  const mine = new Set<string>();
  const isOfTeam = (value: { team: string }) => value.team === team;
  const isOfSend = (id: string) => mine.has(chunkRefOf(id).send);
  /** The id of a row or state names its subject: `topic:send:reader`, `alert:team/channel`, `alert:account`. */
  const isAbout = (id: string) =>
    id.split(/[:/]/).some((part) => part === team || mine.has(part)) ||
    accounts.some((account) => id.endsWith(`:${account}`));

  async function* pick<T>(
    of: Collection<T>,
    isMine: (value: T, id: string) => boolean,
  ): AsyncIterable<Exported> {
    for await (const page of steps.documents(of)) {
      for (const { id, value } of page) if (isMine(value, id)) yield { kind: of.name, id, value };
    }
  }

  for await (const send of pick(sends, ({ record }) => isOfTeam(record))) {
    mine.add(send.id);
    yield send;
  }
  yield* pick(chunks, (_chunk, id) => isOfSend(id));
  yield* pick(texts, (_texts, id) => isOfSend(id));
  yield* pick(dailySpending, isOfTeam);
  yield* pick(numbers, isOfTeam);
  yield* pick(guards, (_claims, id) => id.startsWith(`${team}/`));
  yield* pick(budgets, isOfTeam);
  yield* pick(heldBack, isOfTeam);
  yield* pick(optOuts, isOfTeam);
  yield* pick(homes, isOfTeam);
  yield* pick(outbox, (_row, id) => isAbout(id));
  yield* pick(namedStates, (_state, id) => isAbout(id));
  yield* pick(accountDays, ({ account }) => accounts.includes(account));
}
