import { z } from 'zod';

const milliseconds = z.number().int().nonnegative();

/**
 * A stored object. Two versions may share a store: a bot that changes a record keeps the fields that it does not know. So
 * does a pick of such a schema: pick from `z.object(schema.shape)`.
 */
const stored = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodObject<Shape>;

/** A messaging-platform instance of the service, with its one API key; its key is `instanceKey`. Times are ms since 1970. */
export const Instance = stored({
  team: z.string(),
  /** Short and random. */
  id: z.string(),
  name: z.string(),
  /** Names the key without showing it. The ledger counts permits by this name. */
  keyFingerprint: z.string(),
  /** The API key, sealed for this record's address. */
  sealedKey: z.string(),
  /** What people see of the key, such as "…a1b2". */
  keyHint: z.string(),
  /** Who pays: the base URL and the balance's `user_id` in one text. */
  accountId: z.string(),
  userId: z.number(),
  userName: z.string(),
  /** Slack user id, or "admin" for the command on the server. */
  addedBy: z.string(),
  addedAt: milliseconds,
  keyChangedAt: milliseconds,
  lastGoodCheckAt: milliseconds,
  /** Since when the service refuses the key, or `otherAccount`; missing while the key works. */
  keyRefusedAt: milliseconds.optional(),
  /** The service takes the key, but the key's account is no longer `accountId`. */
  otherAccount: z.literal(true).optional(),
});
export type Instance = z.infer<typeof Instance>;

export function instanceKey({ team, id }: Pick<Instance, 'team' | 'id'>): string {
  return `${team}/${id}`;
}

const seconds = z.number().int().min(0).max(60);
const limit = z.number().int().nonnegative().optional();

/** What a channel may spend, and who has to agree. A missing figure means no limit. Credits are whole here. */
export const SpendingLimits = stored({
  /** A send whose estimate is above this many credits needs a second person. */
  approvalAbove: limit,
  /** Slack user ids of those who may approve; empty: the admins. */
  approvers: z.array(z.string()),
  /** Where the bot posts a request for approval. */
  approvalsIn: z.enum(['channel', 'direct']),
  /** Whether approvers may approve their own: for a team of one person. */
  ownApproval: z.boolean(),
  /** Credits of the channel in a month. */
  monthlyBudget: limit,
  /** Credits of one person in the channel in a day. */
  dailyPerPerson: limit,
  largestList: limit,
  /** The undo times of a text and of a list. Without its own, a list waits as configured. */
  undoSeconds: seconds,
  listUndoSeconds: seconds.optional(),
});
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** The workspace in the key of an instance or a link, and what follows it. */
export function splitKey(key: string): [team: string, rest: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** A channel's link to an instance, with the channel's own settings; its key is `linkKey`. */
export const Link = stored({
  team: z.string(),
  channel: z.string(),
  instanceId: z.string(),
  /** The bot warns the channel below this many credits; 0 = off. */
  threshold: z.number().int().nonnegative(),
  /** Two letters (ISO 3166) for numbers written without a country code. */
  country: z.string().optional(),
  whoCanSend: z.enum(['everyone', 'admins', 'chosen']),
  /** Slack user ids, if `whoCanSend` is "chosen". */
  people: z.array(z.string()),
  /** Whether guests may send too. */
  guests: z.boolean(),
  /** Whether the channel gets a line about each single text. */
  receiptLine: z.boolean(),
  /** Where people buy credits: an https address behind a button. */
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
export const Workspace = stored({
  team: z.string(),
  name: z.string(),
  botUserId: z.string(),
  firstSeenAt: milliseconds,
  /** The organisation whose installation serves this workspace; missing if the workspace has its own. */
  enterprise: z.string().optional(),
  /** Since when that installation no longer covers this workspace. Then the bot deletes the workspace's data. */
  removedAt: milliseconds.optional(),
});
export type Workspace = z.infer<typeof Workspace>;

/** An installation of the Slack app. Its key is `id`: the organisation's if it covers all of it, else the workspace's. */
export const Installation = stored({
  id: z.string(),
  isOrgWide: z.boolean(),
  botUserId: z.string(),
  /** Its tokens, sealed for this record's address. */
  sealedTokens: z.string(),
  /** Tells this installation from a later one of the same `id`. */
  installedAt: milliseconds,
  /** Since when Slack says that it is gone. Then the bot deletes the data of its workspaces. */
  removedAt: milliseconds.optional(),
});
export type Installation = z.infer<typeof Installation>;

/**
 * Names an instance. In the namespace `payers` it is one of an account's, under `accountInstancesKey`; in `holders` it
 * has a key, or had it, under `keyHolderKey`.
 */
export const InstanceName = stored({ team: z.string(), id: z.string() });
export type InstanceName = z.infer<typeof InstanceName>;

export function accountInstancesKey(of: Pick<Instance, 'accountId' | 'team' | 'id'>): string {
  return `${of.accountId}/${instanceKey(of)}`;
}

export function keyHolderKey({ team, keyFingerprint }: Pick<Instance, 'team' | 'keyFingerprint'>): string {
  return `${team}/${keyFingerprint}`;
}

/**
 * Names a link to remove once its jobs are done. `untold`: the link was removed then (ms since 1970), and nobody may have
 * told its channel yet. Its namespace is `leavers`, its key is `pendingUnlinkKey`.
 */
export const PendingUnlink = stored({
  team: z.string(),
  channel: z.string(),
  untold: z
    .object({
      by: z.string(),
      instanceId: z.string(),
      at: z.number(),
      /** Missing if an earlier version removed the link. */
      linkedAt: milliseconds.optional(),
    })
    .optional(),
});
export type PendingUnlink = z.infer<typeof PendingUnlink>;

/** `linkedAt`: of a removed link. Its channel may have another link by now, which has a key of its own. */
export function pendingUnlinkKey(
  link: Pick<Link, 'team' | 'channel'> & { linkedAt?: number | undefined },
): string {
  return link.linkedAt === undefined ? linkKey(link) : `${linkKey(link)}/${link.linkedAt}`;
}

/** For how many days a workspace's admins want to keep texts; its key is `team`. */
export const RetentionChoice = stored({
  team: z.string(),
  days: z.number().int().positive(),
  by: z.string(),
});
export type RetentionChoice = z.infer<typeof RetentionChoice>;

/** What the admins of a workspace chose for all of its channels; its key is `team`. */
export const WorkspaceRules = stored({
  team: z.string(),
  /** The time zone (IANA) in which months and days of limits begin; UTC if it is missing. */
  timeZone: z.string().optional(),
  /** What {optout} becomes in the words of a list. */
  optOutText: z.string().optional(),
  /** Who may add and remove opt-outs: whoever may send from a linked channel, or the admins. */
  whoMayOptOut: z.enum(['everyone', 'admins']),
  /** Who chose last. */
  by: z.string(),
});
export type WorkspaceRules = z.infer<typeof WorkspaceRules>;
