import type { Engine } from '../../../src/store/store.ts';

/** What an engine is asked for. */
export type Call = 'read' | 'commit';

/** The engine, which tells before each call and when its answer is there. */
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
