import type { Instance, Link } from '../../records/schema.ts';
import type { Linked } from './links.ts';

/** An instance as people may see it: without its sealed key and the key's fingerprint. Times are ms since 1970. */
export type InstanceView = Omit<
  Instance,
  'sealedKey' | 'keyFingerprint' | 'userId' | 'addedAt' | 'keyChangedAt'
>;

/** A channel's link with its instance, as people may see them. */
export interface LinkedView {
  link: Link;
  instance: InstanceView;
}

/** Names the fields that people may see, so a new field stays hidden until somebody adds it here. */
export function viewOfInstance(instance: Instance): InstanceView {
  const { keyRefusedAt, otherAccount } = instance;
  return {
    team: instance.team,
    id: instance.id,
    name: instance.name,
    keyHint: instance.keyHint,
    accountId: instance.accountId,
    userName: instance.userName,
    addedBy: instance.addedBy,
    lastGoodCheckAt: instance.lastGoodCheckAt,
    ...(keyRefusedAt === undefined ? {} : { keyRefusedAt }),
    ...(otherAccount && { otherAccount }),
  };
}

export function viewOfLinked({ link, instance }: Linked): LinkedView {
  return { link, instance: viewOfInstance(instance) };
}
