import Bottleneck from 'bottleneck';
import type { Logger } from 'pino';
import type { LedgerMessage } from '../../ledger/model/types.ts';
import { expandEmoji } from '../texts/emoji.ts';
import { type CheckRequest, checkList } from './check-list.ts';
import type { ListAnswer, ListChecker, ListInput, ListProblem, SendableList } from './list.ts';
import { problemAt, type SourceKind } from './problem.ts';
import { startWorker } from './worker/start.ts';

/** Workers at once; other files wait. */
const MOST_WORKERS = 2;

/**
 * Checks lists: pasted ones here, files in a worker thread. The bytes of a file are handed over to the worker; they are
 * gone here once `check` was called.
 */
export function createListChecker(deps: { log: Logger }): ListChecker {
  const workers = new Bottleneck({ maxConcurrent: MOST_WORKERS });

  /** Names what happened and nothing else: messages of errors may hold what the list holds. */
  function failed(error: unknown, source: SourceKind): ListProblem {
    deps.log.error({ error: nameOf(error) }, 'a list could not be checked');
    return problemAt(source, { code: 'unreadable' });
  }

  return {
    async check(input, onProgress = () => {}) {
      const request = requestOf(input);
      if ('kind' in request) return request;
      if (request.source === 'pasted') {
        return checkHere(request, onProgress).catch((error: unknown) => failed(error, 'pasted'));
      }
      return new Promise<ListAnswer>((answer) => {
        // The place is taken until the worker is gone: it holds the list's rows.
        const held = workers.schedule(async () => {
          const worker = startWorker(request, onProgress);
          const checked = await worker.checked;
          if (checked.kind === 'died') {
            answer(failed(checked.error, 'file'));
          } else if (checked.kind === 'list') {
            const { chunks, leaveOut, close } = worker;
            answer({ ...checked, chunks, leaveOut, close });
          } else {
            answer(checked);
            void worker.close();
          }
          await worker.gone;
        });
        held.catch((error: unknown) => answer(failed(error, 'file')));
      });
    },
  };
}

async function checkHere(request: CheckRequest, onProgress: (rows: number) => void): Promise<ListAnswer> {
  const checked = await checkList(request, onProgress);
  if (checked.kind !== 'list') return checked;
  const { chunks, leaveOut, ...list } = checked;
  return {
    ...list,
    chunks: () => oneByOne(chunks()),
    leaveOut: async (phones) => leaveOut(phones),
    close: async () => {},
  } satisfies SendableList;
}

async function* oneByOne(chunks: Iterator<LedgerMessage[]>): AsyncIterable<LedgerMessage[][]> {
  for (let next = chunks.next(); !next.done; next = chunks.next()) yield [next.value];
}

/** What people typed has Slack's shortcodes for emoji; files have their own characters. */
function requestOf({ source, template: typed, ...rest }: ListInput): CheckRequest | ListProblem {
  const template = expandEmoji(typed);
  if (template.custom.length > 0) return customEmoji('message', template.custom);
  if (source.kind === 'file') {
    return { ...rest, template: template.text, source: 'file', bytes: source.bytes };
  }
  const list = expandEmoji(source.text);
  if (list.custom.length > 0) return customEmoji('recipients', list.custom);
  return { ...rest, template: template.text, source: 'pasted', bytes: Buffer.from(list.text) };
}

function customEmoji(field: ListProblem['field'], names: string[]): ListProblem {
  return { kind: 'problem', field, code: 'custom_emoji', names };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
