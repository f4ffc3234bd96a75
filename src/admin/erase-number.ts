import { oweScrub } from '../core/history/erasure.ts';
import { createHashNumber } from '../core/history/hash-number.ts';
import { remains } from '../core/history/remains.ts';
import { createOptOutHash } from '../core/opt-outs/sealed-opt-outs.ts';
import { createHashWords } from '../core/sends/same-words.ts';
import { readNumber } from '../core/texts/phone.ts';
import { AdminError, say } from './terminal.ts';
import type { Tools } from './tools.ts';

/** `erase --phone +44…`: deletes one number, except from sends that are still open. An opt-out keeps its keyed hash. */
export async function eraseNumber({ options, ledger, records, scrub }: Tools): Promise<void> {
  const number = readNumber(options.phone ?? '');
  if (number.kind !== 'number' || number.added) {
    throw new AdminError(
      'Give the full phone number with + and its country code: --phone +442079460958. Nothing was erased.',
    );
  }
  await oweScrub(ledger);
  const secret = await records.fingerprintSecret();
  const hashNumber = createHashNumber(secret);
  // First put all messages into the look-up: one that gets there later would bring the number back.
  while (await ledger.listNumbers(hashNumber));
  const { erased, open } = await ledger.erase(number.digits, {
    remains,
    hashOf: createHashWords(secret),
  });
  let listed = 0;
  for (const team of await ledger.teamsInLookUp()) {
    listed += await ledger.forgetNumber(team, hashNumber(team, number.digits));
  }
  const optOutHash = createOptOutHash(secret);
  let optedOut = 0;
  for (const team of await ledger.teamsWithOptOuts()) {
    const kept = await ledger.eraseOptOut(team, optOutHash(team, number.digits));
    if (kept === 'kept') optedOut += 1;
  }
  const isScrubbed = await scrub.run();
  say(`Texts and list entries erased: ${erased} · messages in the look-up erased: ${listed}.`);
  if (open > 0) {
    say(
      `Not erased: ${open}. These are drafts, requests for approval, running or paused sends, or unknown texts that wait for a decision. Erase again when they are over. Drafts delete themselves within the hour, requests within 25 hours.`,
    );
  }
  if (optedOut > 0) {
    say(
      `The number stays opted out in ${optedOut} workspace${optedOut === 1 ? '' : 's'}, so that nobody texts it. Only its keyed hash is kept.`,
    );
  }
  if (!isScrubbed) say('The files could not be rewritten now: the bot does it within a day.');
}
