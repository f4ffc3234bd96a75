import type { InstanceView } from './instance-view.ts';
import type { BalanceRead } from './read-balance.ts';

/** Why nobody may use a key now: the service refuses it, or the key belongs to another account by now. */
export type KeyTrouble = 'key_refused' | 'other_account';

/** Nobody may use the instance's key now. */
export type KeyUnusable = { kind: KeyTrouble; instanceName: string; instanceId: string };

/** A key's trouble as it is stored, in an instance, a notice or a pause. */
interface StoredTrouble {
  otherAccount?: true | undefined;
}

/** The field that names the trouble; `keyRefusedAt` says that there is some. An earlier version ignores this one. */
export function storedTrouble(trouble: KeyTrouble): StoredTrouble {
  return trouble === 'other_account' ? { otherAccount: true } : {};
}

export function troubleFrom({ otherAccount }: StoredTrouble): KeyTrouble {
  return otherAccount ? 'other_account' : 'key_refused';
}

/** The trouble of an instance's key, as the bot saw it last. Undefined while the key works. */
export function keyTroubleOf(
  instance: Pick<InstanceView, 'keyRefusedAt' | 'otherAccount'>,
): KeyTrouble | undefined {
  return instance.keyRefusedAt === undefined ? undefined : troubleFrom(instance);
}

/** The trouble that a balance read has found. Undefined if it has found none, and if the service gave no answer. */
export function troubleIn({ kind }: Pick<BalanceRead, 'kind'>): KeyTrouble | undefined {
  return kind === 'key_refused' || kind === 'other_account' ? kind : undefined;
}

/** Undefined without trouble. */
export function keyUnusable(
  { id, name }: Pick<InstanceView, 'id' | 'name'>,
  trouble: KeyTrouble | undefined,
): KeyUnusable | undefined {
  return trouble && { kind: trouble, instanceName: name, instanceId: id };
}
