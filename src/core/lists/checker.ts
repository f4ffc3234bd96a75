import type { Logger } from 'pino';
import { expandEmoji } from '../texts/emoji.ts';
import { createTurns } from '../turns.ts';
import type { CheckRequest, checkList } from './check-list.ts';
import { type ListAnswer, type ListInput, type ListProblem, problemAt } from './list.ts';
import { startWorker } from './worker/start.ts';

/** Workers at once; other files wait. */
const MOST_WORKERS = 2;

export type ListChecker = ReturnType<typeof createListChecker>;

/** Checks lists: pasted ones here, files in a worker thread. */
export function createListChecker(deps: { log: Logger }) {
  const workers = createTurns(MOST_WORKERS);

  async function checkHere(...given: Parameters<typeof checkList>): Promise<ListAnswer> {
    // Load it only when it is needed.
    const { checkList } = await import('./check-list.ts');
    const checked = await checkList(...given);
    if (checked.kind !== 'list') return checked;
    const { chunks, leftOut, ...list } = checked;
    return {
      ...list,
      leftOut: [...leftOut()].flat(),
      chunks: () => chunks().map((chunk) => [chunk]),
      close: async () => {},
    };
  }

  function checkInWorker(...given: Parameters<typeof startWorker>): Promise<ListAnswer> {
    return new Promise<ListAnswer>((answer, fail) => {
      // The turn ends once the worker is gone: until then it holds the list's rows.
      const held = workers.schedule(async () => {
        const { checked: checking, chunks, close, gone } = startWorker(...given);
        const checked = await checking;
        if (checked.kind === 'list') {
          const leftOut = (await Array.fromAsync(chunks('left_out'))).flat(2);
          answer({ ...checked, leftOut, chunks: () => chunks(), close });
        } else {
          answer(checked);
          void close();
        }
        await gone;
      });
      held.catch(fail);
    });
  }

  return {
    /** Calls `onProgress` a few times a second with the rows so far. Rejects only if `leaveOut` does. */
    async check(
      { leaveOut, ...input }: ListInput,
      onProgress: (rows: number) => void = () => {},
    ): Promise<ListAnswer> {
      const request = requestOf(input);
      if ('kind' in request) return request;
      let failure: { error: unknown } | undefined;
      const asked: ListInput['leaveOut'] =
        leaveOut &&
        (async (phones) => {
          try {
            return await leaveOut(phones);
          } catch (error) {
            failure ??= { error };
            return [];
          }
        });
      const check = request.source === 'pasted' ? checkHere : checkInWorker;
      const checked = await check(request, onProgress, asked).catch((error: unknown) => {
        // Only its name: messages of errors may hold what the list holds.
        deps.log.error({ error: nameOf(error) }, 'a list could not be checked');
        return problemAt(request.source, { code: 'unreadable' });
      });
      if (!failure) return checked;
      if (checked.kind === 'list') await checked.close();
      throw failure.error;
    },
  };
}

/** Typed text has Slack's shortcodes for emoji; files have the characters themselves. */
function requestOf(input: Omit<ListInput, 'leaveOut'>): CheckRequest | ListProblem {
  const { source, ...rest } = input;
  const template = expandEmoji(input.template);
  if (template.custom.length > 0) return customEmoji('message', template.custom);
  if (source.kind === 'file')
    return { ...rest, template: template.text, source: 'file', bytes: source.bytes };
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
