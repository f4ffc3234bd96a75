import { z } from 'zod';
import type { Core, OutboxRow } from '../../core/core.ts';
import type { Delivery } from '../../core/post-or-retry.ts';

/** The people who got a message instead of its channel: kept with its row in the place of where it was posted. */
export const WithReaders = z.object({ readers: z.array(z.string()) });

/** Of a row that is for one person. */
export const ForReader = z.object({ reader: z.string() });

/** Gives each reader (a user's id) a row of their own. The same row announced again makes their message due once more. */
export async function announceToReaders(
  { announce }: Pick<Core, 'announce'>,
  row: OutboxRow,
  { readers, details }: { readers: readonly string[]; details: object },
): Promise<Delivery> {
  for (const reader of readers) {
    const { topic, subject } = row;
    await announce({ id: `${row.id}:${reader}`, topic, subject, details: { ...details, reader } });
  }
  return { kind: 'posted', posted: { readers: [...readers] } };
}
