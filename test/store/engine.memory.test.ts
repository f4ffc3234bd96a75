import { createMemoryEngine } from '../helpers/memory-engine.ts';
import { engineContract, type OpenEngine } from './engine.contract.ts';
import { engineModel } from './engine.model.ts';

const open: OpenEngine = async (clock) => {
  const engine = createMemoryEngine(clock.now);
  return { engine, join: async () => engine, close: async () => {} };
};

engineContract('in memory', open);
engineModel('in memory', open);
