import { z } from 'zod';
import type { Cipher } from './encryption.ts';
import { createNamespace, type RecordError, type RecordStore } from './namespace.ts';
import {
  AccountInstances,
  Installation,
  Instance,
  Link,
  PendingUnlink,
  RetentionChoice,
  Workspace,
  WorkspaceRules,
} from './schema.ts';
import { createSecrets, Secret } from './secrets.ts';
import { type Commit, createInOneStep } from './step.ts';

/** What people configure, and what the bot knows of workspaces. */
export type Records = ReturnType<typeof createRecords>;

/** Where an engine keeps records. */
export interface RecordStores {
  /** A fresh keyv storage adapter for a namespace. */
  storeFor(namespace: string): RecordStore;
  commit: Commit;
}

export function createRecords({
  storeFor,
  commit,
  cipher,
  onDamaged,
}: RecordStores & {
  cipher: Cipher;
  /** Called for each damaged record that a list leaves out. */
  onDamaged(error: RecordError): void;
}) {
  const namespace = <T extends z.ZodType>(name: string, schema: T) =>
    createNamespace(schema, { name, store: storeFor(name) }, onDamaged);
  /** What people can choose, or give to the bot, once more. */
  const renewable = <T extends z.ZodType>(name: string, schema: T) =>
    createNamespace(schema, { name, store: storeFor(name), skipsDamaged: true }, onDamaged);
  const instances = renewable('instances', Instance);
  const accountInstances = namespace('payers', AccountInstances);
  const installations = namespace('installations', Installation);
  const secrets = namespace('secrets', Secret);
  const inOneStep = createInOneStep(commit);

  return {
    instances,
    links: renewable('links', Link),
    /** Which instances an account pays for. May name some that are gone, or that another account pays for now. */
    accountInstances,
    /** Which links will be removed once their jobs are done. May name some that stay after all. */
    pendingUnlinks: namespace('leavers', PendingUnlink),
    /** What each account's receipts taught about its prices, by account; core reads and writes the shape. */
    prices: renewable('prices', z.json()),
    retention: renewable('retention', RetentionChoice),
    workspaceRules: renewable('rules', WorkspaceRules),
    workspaces: namespace('workspaces', Workspace),
    installations,
    inOneStep,
    ...createSecrets({ secrets, instances, accountInstances, installations, inOneStep, cipher }),
  };
}
