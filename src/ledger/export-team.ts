import type { Collection } from '../store/collection.ts';
import type { Steps } from '../store/steps.ts';
import { chunkRefOf, chunks, dailySpending, numbers, sends, texts } from './documents.ts';

/** What is exported of a workspace, in no promised order. */
export async function* exportTeam(
  steps: Steps,
  team: string,
): AsyncIterable<{ kind: string; id: string; value: unknown }> {
  const mine = new Set<string>();
  for await (const page of steps.documents(sends)) {
    for (const { id, value } of page) {
      if (value.record.team !== team) continue;
      mine.add(id);
      yield { kind: sends.name, id, value };
    }
  }
  for (const collection of [chunks, texts] as Collection<unknown>[]) {
    for await (const page of steps.documents(collection)) {
      for (const { id, value } of page)
        if (mine.has(chunkRefOf(id).send)) yield { kind: collection.name, id, value };
    }
  }
  for (const collection of [dailySpending, numbers] as Collection<{ team: string }>[]) {
    for await (const page of steps.documents(collection)) {
      for (const { id, value } of page) if (value.team === team) yield { kind: collection.name, id, value };
    }
  }
}
