import type { Steps } from '../../store/steps.ts';
import type { Engine } from '../../store/store.ts';
import { compactDocuments } from './compact-documents.ts';

/**
 * Changes to documents that are written already, each from the format before it. One that is cut short is begun again,
 * so it must do no harm twice. None is ever edited or removed.
 */
export const UPGRADES: readonly ((engine: Engine, steps: Steps) => Promise<void>)[] = [compactDocuments];

/** The first formats with documents. What is older has tables in SQLite, hashes in Redis. */
export const FIRST_IN_SQLITE = 7;
export const FIRST_IN_REDIS = 2;

/** The formats that this version writes. */
export const SQLITE_FORMAT = FIRST_IN_SQLITE + UPGRADES.length;
export const REDIS_FORMAT = FIRST_IN_REDIS + UPGRADES.length;
