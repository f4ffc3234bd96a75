import { type AllSettings, DEFAULT_SETTINGS, type LinkSettings } from '../../src/core/accounts/links.ts';
import type { Person } from '../../src/core/accounts/permissions.ts';
import type { DraftInput } from '../../src/core/sends/draft-text.ts';
import { type ReadNumber, readNumber } from '../../src/core/texts/phone.ts';

/** A member of the workspace, but no admin. */
export function aPerson(over: Partial<Person> = {}): Person {
  return { id: 'U-ana', team: 'T1', isAdmin: false, isGuest: false, isOutsider: false, ...over };
}

export const ANA: Person = aPerson();
export const BEN: Person = aPerson({ id: 'U-ben' });
export const ADMIN: Person = aPerson({ id: 'U-admin', isAdmin: true });

export const TEXT = 'Hello from the warehouse';

/** A number in a known range. */
export function aNumber(typed = '+44 20 7946 0958'): ReadNumber {
  const read = readNumber(typed);
  if (read.kind !== 'number') throw new Error(`the fixture's number reads as ${read.kind}`);
  return read;
}

/** Ana's request in #sales. */
export function aRequest(over: Partial<DraftInput> = {}): DraftInput {
  return { channel: 'C-sales', person: ANA, number: aNumber(), text: TEXT, reply: { url: 'first' }, ...over };
}

export function settings(over: Partial<LinkSettings> = {}): AllSettings {
  return { country: undefined, topUpUrl: undefined, ...DEFAULT_SETTINGS, ...over };
}
