import { randomBytes } from 'node:crypto';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { z } from 'zod';
import type { Cipher } from './encryption.ts';

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

/** Names one of an account's instances; its key is `payerKey`. */
export const Payer = z.object({ team: z.string(), id: z.string() });
export type Payer = z.infer<typeof Payer>;

export function payerKey({ accountId, team, id }: Pick<Instance, 'accountId' | 'team' | 'id'>): string {
  return `${accountId}/${team}/${id}`;
}

/** Where the secret stands that API keys are fingerprinted with. */
export const FINGERPRINT_SECRET = { namespace: 'secrets', key: 'fingerprint' };

/** Names a link that is to be taken away once its jobs are done; its key is the link's. */
export const Leaver = z.object({ team: z.string(), channel: z.string() });
export type Leaver = z.infer<typeof Leaver>;

/** Where the records of one kind are kept: a keyv storage adapter that can also tell its keys. */
export type RecordStore = KeyvStoreAdapter & {
  /** The keys in pages: all, or those that begin with `${group}/`. A caller may write between two pages. */
  keys(group?: string): AsyncIterable<string[]>;
};

/** A stored record is not what its namespace should hold. Names its address and fields, never their content. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code = 'record_damaged';
  readonly namespace: string;
  readonly key: string;

  constructor(namespace: string, key: string, fields: string[]) {
    super(`The stored record ${namespace}/${key} is damaged (${fields.join(', ') || 'as a whole'}).`);
    this.namespace = namespace;
    this.key = key;
  }
}

/**
 * Records of one kind. There is no compare-and-set: the last write wins. Every call throws what the store throws.
 */
export type Namespace<T> = {
  /** The record, or undefined. @throws RecordError where what is stored does not fit the schema */
  get(key: string): Promise<T | undefined>;
  set(key: string, record: T): Promise<void>;
  /** Whether there was one to delete. */
  delete(key: string): Promise<boolean>;
  /**
   * The records whose keys begin with `${group}/`, mostly a workspace's, in no promised order; without `group` all of
   * them. A damaged one is told of and left out: it must not keep the others from being seen.
   */
  list(group?: string): Promise<T[]>;
  /** Those of these records that are there, in no promised order; a damaged one is left out as in a list. */
  getMany(keys: string[]): Promise<T[]>;
  /** Where a record stands in the store: what its secrets are sealed for. */
  addressOf(key: string): string;
};

/** Where a text begins with a colon, keyv writes another one before it. */
const HAS_COLON_FIRST = /[[:,]":/;

/** As keyv itself does it, which looks at every value of every record: at four times the time, and for buffers too. */
function deserialize(json: string) {
  if (!HAS_COLON_FIRST.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_, value) =>
    typeof value === 'string' && value.startsWith(':') ? value.slice(1) : value,
  );
}

/** Handles an error of reading JSON, and no other. */
function unlessJson<T>(handle: () => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof SyntaxError) return handle();
    throw error;
  };
}

/** Typed access to one keyv namespace; what is read is checked against `schema`. */
function createNamespace<T extends z.ZodType>(
  schema: T,
  { name, store }: { name: string; store: RecordStore },
  onDamaged: (error: RecordError) => void,
): Namespace<z.output<T>> {
  // The adapters keep namespaces apart themselves; without throwOnErrors a failed write would answer `false`.
  const keyv = new Keyv({
    store,
    namespace: name,
    useKeyPrefix: false,
    throwOnErrors: true,
    deserialize,
  });

  function check(key: string, value: unknown): z.output<T> {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new RecordError(
      name,
      key,
      parsed.error.issues.map((issue) => issue.path.join('.')).filter(Boolean),
    );
  }

  async function getMany(keys: string[]): Promise<z.output<T>[]> {
    if (keys.length === 0) return [];
    // Where one of them is no JSON at all, keyv gives none of them.
    const values: unknown[] = await keyv.getMany(keys).catch(unlessJson(() => Promise.all(keys.map(read))));
    const records: z.output<T>[] = [];
    for (const [i, key] of keys.entries()) {
      if (values[i] === undefined || values[i] === null) continue;
      try {
        records.push(check(key, values[i]));
      } catch (error) {
        if (!(error instanceof RecordError)) throw error;
        onDamaged(error);
      }
    }
    return records;
  }

  /** The value; in place of one that is no JSON, something that no schema takes. */
  function read(key: string): Promise<unknown> {
    return keyv.get(key).catch(unlessJson(() => false));
  }

  return {
    async get(key) {
      const value = await read(key);
      return value === undefined ? undefined : check(key, value);
    },
    async set(key, record) {
      await keyv.set(key, record);
    },
    delete: (key) => keyv.delete(key),
    getMany,
    async list(group) {
      const records: z.output<T>[] = [];
      for await (const keys of store.keys(group)) records.push(...(await getMany(keys)));
      return records;
    },
    addressOf: (key) => `${name}/${key}`,
  };
}

export type Records = {
  instances: Namespace<Instance>;
  links: Namespace<Link>;
  /** Which instances an account pays for. May name some that are gone, or that another account pays for by now. */
  payers: Namespace<Payer>;
  /** Which links are to go. May name some that stay by now. */
  leavers: Namespace<Leaver>;
  /** What each account's receipts taught about its prices, by account; core reads and writes the shape. */
  prices: Namespace<z.core.util.JSONType>;
  workspaces: Namespace<Workspace>;
  installations: Namespace<Installation>;
  /**
   * The 32 bytes that API keys are fingerprinted with; made at the first call ever, the same ever after. Call it once
   * at start, before anything needs it: two first calls at the same time might each make one.
   * @throws EncryptionError where the stored one does not open
   */
  fingerprintSecret(): Promise<Buffer>;
  /**
   * Seals again, under the first encryption key, whatever stands under another; answers how many records that were.
   * A key that is replaced by somebody else in the same moment may be lost: the last write wins.
   */
  reseal(): Promise<number>;
  /**
   * Forgets all that a lost encryption key sealed: instances, installations and the fingerprint secret. Answers how
   * many instances.
   */
  forgetSecrets(): Promise<number>;
};

/**
 * What the bot keeps of instances, links and workspaces. `storeFor` gives a fresh keyv storage adapter for a namespace.
 */
export function createRecords({
  storeFor,
  cipher,
  onDamaged,
}: {
  storeFor: (namespace: string) => RecordStore;
  cipher: Cipher;
  /** Told of each damaged record that a list leaves out. */
  onDamaged(error: RecordError): void;
}): Records {
  const open = (name: string) => ({ name, store: storeFor(name) });
  const instances = createNamespace(Instance, open('instances'), onDamaged);
  const payers = createNamespace(Payer, open('payers'), onDamaged);
  const installations = createNamespace(Installation, open('installations'), onDamaged);
  const secrets = createNamespace(Secret, open(FINGERPRINT_SECRET.namespace), onDamaged);
  const { key: secretKey } = FINGERPRINT_SECRET;
  const secretAddress = secrets.addressOf(secretKey);

  return {
    instances,
    links: createNamespace(Link, open('links'), onDamaged),
    payers,
    leavers: createNamespace(Leaver, open('leavers'), onDamaged),
    prices: createNamespace(z.json(), open('prices'), onDamaged),
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
      for (const instance of forgotten) {
        await instances.delete(instanceKey(instance));
        await payers.delete(payerKey(instance));
      }
      for (const { id } of await installations.list()) await installations.delete(id);
      await secrets.delete(secretKey);
      return forgotten.length;
    },

    async reseal() {
      let count = 0;
      const renew = (sealed: string, address: string) => cipher.seal(cipher.open(sealed, address), address);
      const stored = await secrets.get(secretKey);
      if (stored && cipher.needsReseal(stored.sealed)) {
        await secrets.set(secretKey, { sealed: renew(stored.sealed, secretAddress) });
        count += 1;
      }
      for (const instance of await instances.list()) {
        if (!cipher.needsReseal(instance.sealedKey)) continue;
        const key = instanceKey(instance);
        await instances.set(key, {
          ...instance,
          sealedKey: renew(instance.sealedKey, instances.addressOf(key)),
        });
        count += 1;
      }
      for (const installation of await installations.list()) {
        const { id, sealedTokens } = installation;
        if (!cipher.needsReseal(sealedTokens)) continue;
        const address = installations.addressOf(id);
        await installations.set(id, { ...installation, sealedTokens: renew(sealedTokens, address) });
        count += 1;
      }
      return count;
    },
  };
}
