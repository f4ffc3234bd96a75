import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import type { OptOutView } from '../../core/opt-outs/sealed-opt-outs.ts';
import { numberInCell } from '../../core/texts/phone-format.ts';
import { adminsOnly } from '../ui/access-refusals.ts';
import { message } from '../ui/blocks.ts';
import {
  OPT_OUTS_FILE,
  OPT_OUTS_NOT_EXPORTED,
  optOutColumns,
  optOutsComment,
} from '../ui/limits/opt-out-forms.ts';
import { unseenNumber } from '../ui/limits/opt-outs.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { clockOf } from './clock-of.ts';

/** Sends all opt-outs as CSV to an admin, as a direct message. If that fails, a direct message says so. */
export async function sendOptOutsFile(deps: SlackDeps, person: Person): Promise<void> {
  try {
    // Loaded only if it is wanted.
    const { BYTE_ORDER_MARK, csvLines } = await import('../../core/lists/csv-export.ts');
    const clock = clockOf(await deps.access.timeZone(person.id));
    const pieces = [BYTE_ORDER_MARK, csvLines([optOutColumns(clock.resolvedOptions().timeZone)])];
    let rows = 0;
    for await (const page of deps.core.optOuts.all()) {
      pieces.push(csvLines(page.map((optOut) => rowOf(optOut, clock))));
      rows += page.length;
    }
    // The right may have been withdrawn meanwhile.
    if (!mayAdminister(await deps.access.again(person))) {
      return void (await deps.replies.direct(person.id, adminsOnly('optouts')));
    }
    const bytes = Buffer.concat(pieces);
    await deps.files.toPerson(person.id, { name: OPT_OUTS_FILE, bytes, comment: optOutsComment(rows) });
  } catch (error) {
    deps.log.error({ err: error }, 'an export of the opt-outs broke off');
    await deps.replies.direct(person.id, message(OPT_OUTS_NOT_EXPORTED));
  }
}

function rowOf(optOut: OptOutView, clock: Intl.DateTimeFormat): string[] {
  const { e164, events } = optOut;
  const { by = '', at = 0, via = '', channel = '', reason = '' } = events.at(-1) ?? {};
  const number = e164 === undefined ? unseenNumber(optOut) : numberInCell(e164);
  return [number, clock.format(at), by, via, channel, reason];
}
