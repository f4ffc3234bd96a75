import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { rowAbout } from '../../ledger/outbox/announce.ts';
import { ChunkResult } from '../sends/chunk-result.ts';
import { TOPICS } from '../topics.ts';
import { JobDetails } from './job-details.ts';
import { writePauseReason } from './pause-reason.ts';

/** A card is edited at most this often, in ms. */
const CARD_EVERY_MS = 3000;
/** If the service refuses this many first chunks as invalid, the whole list is probably wrong. */
const FIRST_CHUNKS = 3;

const Reach = JobDetails.pick({ outOfReachSince: true });

/** Makes a job's card due. */
export function cardOf(send: string): Announcement {
  return { ...rowAbout(send, TOPICS.job, null), spacingMs: CARD_EVERY_MS };
}

export type JobNews = ReturnType<typeof createJobNews>;

/** Keeps a job's card in its channel up to date. */
export function createJobNews({ ledger, log }: { ledger: Ledger; log: Logger }) {
  /** The job has changed: its card shows that within three seconds. Never rejects. */
  async function changed(send: string): Promise<void> {
    try {
      await ledger.announce(cardOf(send));
    } catch (error) {
      // The change itself is done, so nobody should read that it failed. The next change updates the card.
      log.error({ err: error, send }, 'the card of a job could not be made due');
    }
  }

  /** Remembers since when the service is out of reach, or that it is back. */
  async function noteReach({ id, details }: SendRecord, isReached: boolean): Promise<void> {
    const { outOfReachSince } = Reach.parse(details);
    if (isReached === (outOfReachSince === undefined)) return;
    try {
      await ledger.mergeDetails(id, { outOfReachSince: isReached ? undefined : ledger.now() });
    } catch (error) {
      log.error({ err: error, send: id }, 'the bot could not record whether a job reaches the service');
    }
  }

  /** The service's words, if it refused all of the first chunks as invalid. */
  async function allInvalid(send: SendRecord, chunk: ChunkRecord): Promise<string | undefined> {
    const isFirst = chunk.parent === undefined && chunk.index < FIRST_CHUNKS;
    if (!isFirst || send.state !== 'running' || invalidWords(chunk) === undefined) return undefined;
    const first = await ledger.chunks(send.id, { limit: FIRST_CHUNKS });
    const refused = first.filter((each) => each.parent === undefined && invalidWords(each) !== undefined);
    return refused.length === FIRST_CHUNKS ? invalidWords(chunk) : undefined;
  }

  return {
    changed,
    /**
     * Notes a settled chunk of a job. Pauses the job if the service refused all of its first chunks as invalid.
     * `isReached`: whether the request could reach the service; undefined if we made none.
     */
    async note(send: SendRecord, chunk: ChunkRecord, isReached: boolean | undefined): Promise<void> {
      if (isReached !== undefined) await noteReach(send, isReached);
      const message = await allInvalid(send, chunk);
      if (message !== undefined)
        await ledger.pause(send.id, writePauseReason({ why: 'all_invalid', message }));
      await changed(send.id);
    },
    /** The service is out of reach: the job's card says since when. Never rejects. */
    async outOfReach(send: SendRecord): Promise<void> {
      await noteReach(send, false);
      await changed(send.id);
    },
  };
}

/** The service's words about a chunk that it refused as invalid. */
function invalidWords({ result }: ChunkRecord): string | undefined {
  const { cause, message = '' } = ChunkResult.safeParse(result).data ?? {};
  return cause === 'validation' || cause === 'group_refused' ? message : undefined;
}
