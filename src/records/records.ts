import { z } from 'zod';
import type { Cipher } from './encryption.ts';
import { createNamespace, type RecordError } from './namespace.ts';
import type { RecordStore } from './record-store.ts';
import {
  Installation,
  Instance,
  InstanceName,
  Link,
  PendingUnlink,
  RetentionChoice,
  Workspace,
  WorkspaceRules,
} from './schema.ts';
import { createSecrets, Secret } from './secrets.ts';
import { createInOneStep } from './step.ts';

/** What people configure, and what the bot knows of workspaces. */
export type Records = ReturnType<typeof createRecords>;

export function createRecords(options: {
  store: RecordStore;
  cipher: Cipher;
  /** The workspaces that have opt-outs in the ledger: only the bot's own secret finds them. */
  teamsWithOptOuts(): Promise<string[]>;
  /** Called for each damaged record that a read leaves out. */
  onDamaged(error: RecordError): void;
}) {
  const { store, cipher, teamsWithOptOuts, onDamaged } = options;
  const namespace = <T>(name: string, schema: z.ZodType<T>) =>
    createNamespace(schema, { name, store }, onDamaged);
  /** For records that people can choose, or give to the bot, again. */
  const renewable = <T>(name: string, schema: z.ZodType<T>) =>
    createNamespace(schema, { name, store, skipsDamaged: true }, onDamaged);
  const inOneStep = createInOneStep(store);

  // Some kinds have older names in the store.
  const kinds = {
    instances: renewable('instances', Instance),
    links: renewable('links', Link),
    /** The instances of each account. May name an instance that is gone, or that has another account now. */
    accountInstances: namespace('payers', InstanceName),
    /** Which instance has each key. Whoever saves a key writes one, so that no two instances get it. */
    keyHolders: renewable('holders', InstanceName),
    /** The links to remove once their jobs are done. May name a link that stays after all. */
    pendingUnlinks: namespace('leavers', PendingUnlink),
    /** What each account's receipts taught about its prices, by account. Core knows the shape. */
    prices: renewable('prices', z.json()),
    retention: renewable('retention', RetentionChoice),
    workspaceRules: renewable('rules', WorkspaceRules),
    workspaces: namespace('workspaces', Workspace),
    installations: namespace('installations', Installation),
  };
  const secrets = namespace('secrets', Secret);
  return {
    ...kinds,
    inOneStep,
    ...createSecrets({ ...kinds, secrets, inOneStep, cipher, teamsWithOptOuts }),
  };
}
