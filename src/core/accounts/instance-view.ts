import { z } from 'zod';
import { Instance, type Link } from '../../records/schema.ts';
import type { Linked } from './links.ts';

/** Names the fields that people may see, so a new field stays hidden until somebody adds it here. */
const Visible = z.object(Instance.shape).pick({
  team: true,
  id: true,
  name: true,
  keyHint: true,
  accountId: true,
  userName: true,
  addedBy: true,
  lastGoodCheckAt: true,
  keyRefusedAt: true,
  otherAccount: true,
});

/** An instance as people may see it: without its sealed key and the key's fingerprint. Times are ms since 1970. */
export type InstanceView = z.infer<typeof Visible>;

/** A channel's link with its instance, as people may see them. */
export interface LinkedView {
  link: Link;
  instance: InstanceView;
}

export function viewOfInstance(instance: Instance): InstanceView {
  return Visible.parse(instance);
}

export function viewOfLinked({ link, instance }: Linked): LinkedView {
  return { link, instance: viewOfInstance(instance) };
}
