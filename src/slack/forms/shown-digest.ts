import { createHash } from 'node:crypto';
import { type Link, LinkSettings } from '../../core/accounts/links.ts';

/** A digest of settings that somebody sees. If it differs later, somebody has changed them. */
export function digestOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22);
}

/** The digest of a channel's link, without its limits. */
export function linkDigest(link: (LinkSettings & Pick<Link, 'instanceId' | 'leaving'>) | undefined): string {
  return digestOf(link ? [LinkSettings.parse(link), link.instanceId, link.leaving] : []);
}
