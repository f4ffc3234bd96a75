import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Cipher } from './encryption.ts';
import { createNamespace, type Namespace, type RecordError, type RecordStore } from './namespace.ts';
import { type Commit, createInOneStep, type InOneStep } from './step.ts';

const milliseconds = z.number().int().nonnegative();

/**
 * A messaging-platform instance of the service, with its one API key; its key is `instanceKey`. Times are ms since
 * 1970.
 */
export const Instance = z.object({
  team: z.string(),
  /** Short and random. */
  id: z.string(),
  name: z.string(),
  /** Names the key without showing it: permits are counted by it. */
  keyFingerprint: z.string(),
  /** The API key, sealed for this record's address. */
  sealedKey: z.string(),
  /** What people see of the key, such as "…a1b2". */
  keyHint: z.string(),
  /** Who pays: base URL and `user_id` of the balance record in one text. */
  accountId: z.string(),
  userId: z.number(),
  userName: z.string(),
  /** Slack user id, or "admin" for the command on the server. */
  addedBy: z.string(),
  addedAt: milliseconds,
  keyChangedAt: milliseconds,
  lastGoodCheckAt: milliseconds,
  /** Since when the service refuses the key; absent while it works. */
  keyRefusedAt: milliseconds.optional(),
});
export type Instance = z.infer<typeof Instance>;

export function instanceKey({ team, id }: Pick<Instance, 'team' | 'id'>): string {
  return `${team}/${id}`;
}

const seconds = z.number().int().min(0).max(60);
const limit = z.number().int().nonnegative().optional();

/** What a channel may spend, and who has to agree. Missing figures are no limit; credits and recipients are whole. */
export const SpendingLimits = z.object({
  /** A send whose estimate is above this many credits needs a second person. */
  approvalAbove: limit,
  /** Slack user ids of those who may approve; empty: the admins. */
  approvers: z.array(z.string()),
  /** Where a request for approval is posted. */
  approvalsIn: z.enum(['channel', 'direct']),
  /** Whether approvers may approve their own: for a team of one person. */
  ownApproval: z.boolean(),
  /** Credits of the channel in a month. */
  monthlyBudget: limit,
  /** Credits of one person in the channel in a day. */
  dailyPerPerson: limit,
  /** Recipients of one list. */
  largestList: limit,
  /** How long a text, and a list, waits after Send, so that it can be undone. A list without it waits as configured. */
  undoSeconds: seconds,
  listUndoSeconds: seconds.optional(),
});
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** A channel's link to an instance, with the channel's own settings; its key is `linkKey`. */
export const Link = z.object({
  team: z.string(),
  channel: z.string(),
  instanceId: z.string(),
  /** Credits below which the channel is warned; 0 = off. */
  threshold: z.number().int().nonnegative(),
  /** Two letters (ISO 3166) for numbers written without a country code. */
  country: z.string().optional(),
  whoCanSend: z.enum(['everyone', 'admins', 'chosen']),
  /** Slack user ids, where `whoCanSend` is "chosen". */
  people: z.array(z.string()),
  /** Whether guests may send too. */
  guests: z.boolean(),
  /** Whether each send leaves its line in the channel. */
  receiptLine: z.boolean(),
  /** Where people buy credits: an https address, shown as a button. */
  topUpUrl: z.string().optional(),
  limits: SpendingLimits.optional(),
  linkedBy: z.string(),
  linkedAt: milliseconds,
  /** Who has asked to unlink the channel once its jobs are done. */
  leaving: z.object({ by: z.string() }).optional(),
});
export type Link = z.infer<typeof Link>;

export function linkKey({ team, channel }: Pick<Link, 'team' | 'channel'>): string {
  return `${team}/${channel}`;
}

/** A Slack workspace that the bot has met; its key is `team`. */
export const Workspace = z.object({
  team: z.string(),
  name: z.string(),
  botUserId: z.string(),
  firstSeenAt: milliseconds,
  /** The organisation whose installation serves it; absent where the workspace has its own. */
  enterprise: z.string().optional(),
  /** Since when that installation is not for this workspace any more: what is kept of it is being deleted. */
  removedAt: milliseconds.optional(),
});
export type Workspace = z.infer<typeof Workspace>;

/**
 * An installation of the Slack app; its key is `id`: the organisation's where it is for all of that, else the
 * workspace's.
 */
export const Installation = z.object({
  id: z.string(),
  isOrgWide: z.boolean(),
  botUserId: z.string(),
  /** Its tokens, sealed for this record's address. */
  sealedTokens: z.string(),
  /** Tells an installation from one that was made after it. */
  installedAt: milliseconds,
  /** Since when it is gone, as Slack says: what is kept of its workspaces is being deleted. */
  removedAt: milliseconds.optional(),
});
export type Installation = z.infer<typeof Installation>;

/** A secret of the bot itself, sealed for this record's address. */
const Secret = z.object({ sealed: z.string() });

/** Names one of an account's instances; stored among `payers`, and its key is `accountInstancesKey`. */
export const AccountInstances = z.object({ team: z.string(), id: z.string() });
export type AccountInstances = z.infer<typeof AccountInstances>;

export function accountInstancesKey({
  accountId,
  team,
  id,
}: Pick<Instance, 'accountId' | 'team' | 'id'>): string {
  return `${accountId}/${team}/${id}`;
}

/** Deletes the instance, with its key, and what names it. */
export async function forgetInstance(
  { instances, accountInstances }: Pick<Records, 'instances' | 'accountInstances'>,
  instance: Pick<Instance, 'accountId' | 'team' | 'id'>,
): Promise<void> {
  await instances.delete(instanceKey(instance));
  await accountInstances.delete(accountInstancesKey(instance));
}

/** Where the secret is that API keys are fingerprinted with. */
export const FINGERPRINT_SECRET = { namespace: 'secrets', key: 'fingerprint' };

/** Names a link that is to be taken away once its jobs are done; stored among `leavers`, and its key is the link's. */
export const PendingUnlink = z.object({ team: z.string(), channel: z.string() });
export type PendingUnlink = z.infer<typeof PendingUnlink>;

/** For how many days a workspace's admins want texts kept; its key is `team`. */
export const RetentionChoice = z.object({
  team: z.string(),
  days: z.number().int().positive(),
  by: z.string(),
});
export type RetentionChoice = z.infer<typeof RetentionChoice>;

/** What the admins of a workspace chose for all of its channels; its key is `team`. */
export const WorkspaceRules = z.object({
  team: z.string(),
  /** Months and days of limits begin by this time zone (IANA); UTC where it is missing. */
  timeZone: z.string().optional(),
  /** What stands for {optout} in the words of a list. */
  optOutText: z.string().optional(),
  /** Who may add and remove opt-outs: whoever may send from a linked channel, or the admins. */
  whoMayOptOut: z.enum(['everyone', 'admins']),
  /** Who chose last. */
  by: z.string(),
});
export type WorkspaceRules = z.infer<typeof WorkspaceRules>;

export type Records = {
  instances: Namespace<Instance>;
  links: Namespace<Link>;
  /** Which instances an account pays for. May name some that are gone, or that another account pays for by now. */
  accountInstances: Namespace<AccountInstances>;
  /** Which links are to go. May name some that stay by now. */
  pendingUnlinks: Namespace<PendingUnlink>;
  /** What each account's receipts taught about its prices, by account; core reads and writes the shape. */
  prices: Namespace<z.core.util.JSONType>;
  retention: Namespace<RetentionChoice>;
  workspaceRules: Namespace<WorkspaceRules>;
  workspaces: Namespace<Workspace>;
  installations: Namespace<Installation>;
  inOneStep: InOneStep;
  /**
   * The 32 bytes that API keys are fingerprinted with; made at the first call ever, the same ever after. Call it once
   * at start, before anything needs it: two first calls at the same time might each make one.
   * @throws EncryptionError where the stored one does not open
   */
  fingerprintSecret(): Promise<Buffer>;
  /**
   * Seals again, under the first encryption key, whatever another key sealed; answers how many records that were. A bot
   * may change them meanwhile: what it wrote stays.
   */
  reseal(): Promise<number>;
  /**
   * Forgets all that a lost encryption key sealed: instances, installations and the fingerprint secret. Answers how
   * many instances.
   */
  forgetSecrets(): Promise<number>;
};

/** Where an engine keeps records. */
export interface RecordStores {
  /** A fresh keyv storage adapter for a namespace. */
  storeFor(namespace: string): RecordStore;
  commit: Commit;
}

/** What the bot keeps of instances, links and workspaces. */
export function createRecords({
  storeFor,
  commit,
  cipher,
  onDamaged,
}: RecordStores & {
  cipher: Cipher;
  /** Told of each damaged record that a list leaves out. */
  onDamaged(error: RecordError): void;
}): Records {
  const open = (name: string) => ({ name, store: storeFor(name) });
  const instances = createNamespace(Instance, open('instances'), onDamaged);
  const accountInstances = createNamespace(AccountInstances, open('payers'), onDamaged);
  const installations = createNamespace(Installation, open('installations'), onDamaged);
  const secrets = createNamespace(Secret, open(FINGERPRINT_SECRET.namespace), onDamaged);
  const { key: secretKey } = FINGERPRINT_SECRET;
  const secretAddress = secrets.addressOf(secretKey);
  const inOneStep = createInOneStep(commit);

  return {
    inOneStep,
    instances,
    links: createNamespace(Link, open('links'), onDamaged),
    accountInstances,
    pendingUnlinks: createNamespace(PendingUnlink, open('leavers'), onDamaged),
    prices: createNamespace(z.json(), open('prices'), onDamaged),
    retention: createNamespace(RetentionChoice, open('retention'), onDamaged),
    workspaceRules: createNamespace(WorkspaceRules, open('rules'), onDamaged),
    workspaces: createNamespace(Workspace, open('workspaces'), onDamaged),
    installations,

    async fingerprintSecret() {
      const stored = await secrets.get(secretKey);
      if (stored) return Buffer.from(cipher.open(stored.sealed, secretAddress), 'base64');
      const secret = randomBytes(32);
      await secrets.set(secretKey, { sealed: cipher.seal(secret.toString('base64'), secretAddress) });
      return secret;
    },

    async forgetSecrets() {
      const forgotten = await instances.list();
      for (const instance of forgotten) await forgetInstance({ instances, accountInstances }, instance);
      for (const { id } of await installations.list()) await installations.delete(id);
      await secrets.delete(secretKey);
      return forgotten.length;
    },

    async reseal() {
      const renew = (sealed: string, address: string) => cipher.seal(cipher.open(sealed, address), address);
      /** Whether it was under another key. */
      function resealOne<T>(of: Namespace<T>, key: string, field: keyof T & string): Promise<boolean> {
        return inOneStep(async (step) => {
          const record = await step.get(of, key);
          const sealed = record?.[field];
          if (typeof sealed !== 'string' || !cipher.needsReseal(sealed)) return false;
          step.set(of, key, { ...(record as T), [field]: renew(sealed, of.addressOf(key)) });
          return true;
        });
      }
      const renewed = [await resealOne(secrets, secretKey, 'sealed')];
      for (const instance of await instances.list())
        renewed.push(await resealOne(instances, instanceKey(instance), 'sealedKey'));
      for (const { id } of await installations.list())
        renewed.push(await resealOne(installations, id, 'sealedTokens'));
      return renewed.filter(Boolean).length;
    },
  };
}
