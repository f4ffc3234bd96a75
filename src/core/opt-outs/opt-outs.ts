import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerMessage } from '../../ledger/model/chunk-record.ts';
import type { OptOutCause, OptOutRecord } from '../../ledger/opt-outs/opt-out-documents.ts';
import type { Cipher } from '../../records/encryption.ts';
import type { Clock } from '../clock.ts';
import { inChunks } from '../lists/in-chunks.ts';
import type { TakenBack } from '../taken-back.ts';
import { createOptOutHash, type OptOutView, openOptOut, sealFor } from './sealed-opt-outs.ts';

/** How many numbers one commit changes, and how many opt-outs a page holds. */
const AT_ONCE = 500;
/** The longest reason, in characters. */
export const REASON_MAX = 200;

/** A change of opt-outs that a person asks for. */
export interface OptOutWish {
  to: 'out' | 'in';
  by: string;
  via: OptOutCause['via'];
  channel?: string;
  /** Why, in their words; cut at `REASON_MAX`. */
  reason?: string;
}

export type OptOuts = ReturnType<typeof createOptOuts>;

/** Numbers (their digits) that a workspace no longer texts. */
export function createOptOuts(deps: {
  ledger: Ledger;
  cipher: Cipher;
  fingerprintSecret: Buffer;
  /** How long after its look for opt-outs any bot's request may begin, in ms. */
  fuseMs: number;
  takenBack: Pick<TakenBack, 'remember' | 'forget'>;
  clock: Pick<Clock, 'sleep'>;
  log: Logger;
}) {
  const { ledger, cipher, fingerprintSecret, fuseMs, takenBack, clock, log } = deps;
  const hashOf = createOptOutHash(fingerprintSecret);
  const opened = (record: OptOutRecord) =>
    openOptOut(cipher, record, (err) =>
      log.error(
        { err },
        'an opt-out does not open; it still holds, but people can’t see its number or a reason',
      ),
    );

  /** Which of these numbers (their digits) are opted out, as the store says now. */
  async function whichAreOut(team: string, digits: string[]): Promise<string[]> {
    const hashes = digits.map((phone) => hashOf(team, phone));
    const out = await ledger.whichOptedOut(team, hashes);
    return digits.filter((_, at) => out.has(hashes[at] ?? ''));
  }

  return {
    /** A number's opt-out; undefined if it was never opted out. */
    async find(team: string, digits: string): Promise<OptOutView | undefined> {
      const record = await ledger.optOut(team, hashOf(team, digits));
      return record && opened(record);
    },

    /**
     * Opts numbers out or in, some hundred a commit. Returns how many numbers changed. After opt-outs it waits until no
     * request to these numbers can begin any more. `onProgress` gets how many numbers are written so far.
     */
    async change(
      team: string,
      digits: readonly string[],
      { to, by, via, channel, reason }: OptOutWish,
      onProgress: (done: number) => void = () => {},
    ): Promise<number> {
      const words = reason && [...reason].slice(0, REASON_MAX).join('');
      let changed = 0;
      let done = 0;
      for (const some of inChunks(digits, AT_ONCE)) {
        const entries = some.map((phone) => {
          const hash = hashOf(team, phone);
          const seal = (text: string) => sealFor(cipher, { team, hash }, text);
          return { hash, sealed: seal(phone), ...(words && { sealedReason: seal(words) }) };
        });
        const cause = { by, via, ...(channel && { channelId: channel }) };
        const request = { team, to, cause, entries };
        changed += await ledger.changeOptOuts(request);
        // Read the clock after the write: what others changed before it must not hide the opt-out.
        const unlessChangedSince = ledger.now();
        const about = ['opt-out', team, ...entries.map(({ hash }) => hash)].join(' ');
        // Meanwhile somebody may have decided otherwise, perhaps at another bot. So an opt-in is never made again.
        const again = () => ledger.changeOptOuts({ ...request, unlessChangedSince });
        if (to === 'out') takenBack.remember(about, again);
        else takenBack.forget(about);
        done += some.length;
        onProgress(done);
        await new Promise(setImmediate);
      }
      // A request that looked for opt-outs just before the commit may still begin within this time.
      if (to === 'out') await clock.sleep(fuseMs);
      return changed;
    },

    whichAreOut,

    /** The messages that may be sent, and those whose numbers are opted out, as the store says now. */
    async leaveOut(team: string, messages: LedgerMessage[]) {
      const phones = messages.map(({ phone }) => phone);
      const out = new Set(await whichAreOut(team, phones));
      const wayOf = ({ phone }: LedgerMessage) => (out.has(phone) ? 'optedOut' : 'kept');
      const { kept = [], optedOut = [] } = Object.groupBy(messages, wayOf);
      return { kept, optedOut };
    },

    count: (team: string) => ledger.countOptOuts(team),
    /** The opt-outs that hold, newest first. */
    newest: async (team: string, limit: number) => (await ledger.listOptOuts(team, { limit })).map(opened),

    /** All opt-outs that hold, newest first, page by page. */
    async *all(team: string): AsyncIterable<OptOutView[]> {
      let before: OptOutRecord | undefined;
      for (;;) {
        const page = await ledger.listOptOuts(team, { limit: AT_ONCE, ...(before && { before }) });
        if (page.length > 0) yield page.map(opened);
        before = page.at(-1);
        if (page.length < AT_ONCE) return;
      }
    },
  };
}
