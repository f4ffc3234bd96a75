import type { Engine } from '../../../src/store/store.ts';

/** The calls of an engine. */
export type Call = 'read' | 'commit';

/** An engine that calls `tell` before each call and after its answer. */
export function tellingOfCalls(engine: Engine, tell: (call: Call) => void): Engine {
  async function told<T>(call: Call, work: () => Promise<T>): Promise<T> {
    tell(call);
    const answer = await work();
    tell(call);
    return answer;
  }
  return {
    ...engine,
    read: (...asked) => told('read', () => engine.read(...asked)),
    commit: (...asked) => told('commit', () => engine.commit(...asked)),
  };
}
