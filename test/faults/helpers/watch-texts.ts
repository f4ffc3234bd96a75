import { type Ephemeral, textOf } from 'slack-playground';
import type { World } from '../../helpers/world.ts';
import { draftInTime } from '../../helpers/world-steps.ts';

/** The first word of a receipt. */
export type Word = 'Sent' | 'Unknown' | 'Not sent' | 'Rejected';

/** A single text with words of its own, and all that the test saw of it so far. */
export interface WatchedText {
  preview: Ephemeral;
  /** The words that its receipt has had, in order. */
  words: Word[];
  /** How often the service sent it. */
  arrivals: number;
  /** `arrivals` at the moment when the receipt said "Unknown". */
  arrivalsWhenUnknown?: number;
  /** When its last request reached the service, and when the service had answered, by `performance.now()`. */
  reachedAt?: number;
  answeredAt?: number;
}

/** Watches texts from both ends: what people read, and what the service does. */
export interface TextWatch {
  all: WatchedText[];
  /** A draft to this number. */
  draft(number: string): Promise<WatchedText>;
  end(): void;
}

/** Watches texts by their words, so a number may get several. */
export function watchTexts(world: World): TextWatch {
  const { slack, service } = world;
  const all: WatchedText[] = [];
  const byWords = new Map<string, WatchedText>();
  const byPreview = new Map<string, WatchedText>();
  const byRequest = new Map<number, WatchedText>();

  const ends = [
    service.on('message', ({ text, request }) => {
      const watched = byWords.get(text);
      if (!watched) return;
      watched.arrivals += 1;
      byRequest.set(request, watched);
      const arrived = service.requests.findLast(({ id }) => id === request);
      if (arrived) watched.reachedAt = arrived.monotonicMs;
    }),
    service.on('answer', ({ id, status }) => {
      const watched = byRequest.get(id);
      if (watched && status === 201) watched.answeredAt = performance.now();
    }),
    slack.subscribe((change) => {
      if (change.kind !== 'ephemeral_changed') return;
      const watched = byPreview.get(change.message.ts);
      const [, word] = /^\S+ \*(Sent|Unknown|Not sent|Rejected)/.exec(textOf(change.message)) ?? [];
      if (!watched || word === undefined || watched.words.at(-1) === word) return;
      watched.words.push(word as Word);
      if (word === 'Unknown') watched.arrivalsWhenUnknown ??= watched.arrivals;
    }),
  ];

  return {
    all,
    async draft(number) {
      const words = `Text ${all.length}, watched`;
      const watched: WatchedText = { preview: undefined as never, words: [], arrivals: 0 };
      all.push(watched);
      byWords.set(words, watched);
      watched.preview = await draftInTime(world, `${number} ${words}`);
      byPreview.set(watched.preview.ts, watched);
      return watched;
    },
    end() {
      for (const end of ends) end();
    },
  };
}
