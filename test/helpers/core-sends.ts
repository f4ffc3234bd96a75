import { vi } from 'vitest';
import type { Person } from '../../src/core/accounts/permissions.ts';
import type { Core } from '../../src/core/core.ts';
import type { DraftInput } from '../../src/core/sends/draft-text.ts';
import type { SendView } from '../../src/core/sends/send-view.ts';
import { TOPICS } from '../../src/core/topics.ts';
import { ANA, aRequest } from './core-people.ts';
import type { PostedRow } from './core-world.ts';

/** A draft. Throws if core makes none. */
export async function drafted(core: Core, over: Partial<DraftInput> = {}): Promise<SendView> {
  const answer = await core.sends.draft(aRequest(over));
  if (answer.kind !== 'draft') throw new Error(`expected a draft, got ${JSON.stringify(answer)}`);
  return answer.view;
}

/** A draft that its maker has confirmed. */
export async function confirmed(core: Core, over: Partial<DraftInput> = {}): Promise<SendView> {
  const draft = await drafted(core, over);
  const answer = await core.sends.confirm(draft.id, (over.person as Person) ?? ANA, { url: 'second' });
  if (answer.kind !== 'running') throw new Error(`expected a running send, got ${JSON.stringify(answer)}`);
  return viewOf(core, draft.id);
}

/** The send as people see it now. */
export async function viewOf(core: Core, id: string): Promise<SendView> {
  const view = await core.sends.view(id);
  if (!view) throw new Error(`there is no send ${id}`);
  return view;
}

/** The send once it has ended. */
export function ended(core: Core, id: string): Promise<SendView> {
  return eventually(async () => {
    const view = await viewOf(core, id);
    if (view.state !== 'finished') throw new Error(`the send is ${view.state}, its message ${view.outcome}`);
    return view;
  });
}

/** The outcomes that people read of a send's end, in order, without the news that it is on its way or waits. */
export function endsTold(posted: PostedRow[], id: string): PostedRow['told'][] {
  return posted
    .filter(({ topic, subject }) => topic === TOPICS.receipt && subject === id)
    .map(({ told }) => told)
    .filter((told) => told !== 'pending' && told !== 'sending');
}

/** Repeats `work` until it throws no more: for events that come soon, at no promised time. */
export function eventually<T>(work: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(work, { timeout: 40_000, interval: 10 });
}
