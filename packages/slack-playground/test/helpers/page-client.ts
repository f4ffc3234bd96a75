import type { ActionAnswer, Actions, PageState } from '../../src/page-state.ts';
import { textOf } from '../../src/render.ts';
import type { Ephemeral, Message, OpenView } from '../../src/types.ts';

/** A person's screen of the playground's page, as a browser gets it. */
export interface Screen {
  state(): PageState;
  /** How many states have come so far. */
  states(): number;
  /** Calls `probe` now and after each state. Resolves with its first truthy answer; rejects after `ms`. */
  until<T>(probe: (state: PageState) => T | undefined | false, ms?: number): Promise<T>;
  close(): void;
}

/** Posts as the page does. */
export async function post<Path extends keyof Actions>(
  url: string,
  path: Path,
  body: Actions[Path],
): Promise<ActionAnswer> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(body),
  });
  return (await response.json()) as ActionAnswer;
}

/** Opens the page as `user`; resolves with its first state. */
export async function openScreen(url: string, user?: string): Promise<Screen> {
  const leaving = new AbortController();
  const query = user === undefined ? '' : `?as=${user}`;
  const response = await fetch(`${url}/events${query}`, { signal: leaving.signal });
  if (!response.ok || !response.body) throw new Error(`no stream: ${response.status}`);
  const listeners = new Set<() => void>();
  let state: PageState | undefined;
  let count = 0;

  async function read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    for await (const part of body.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
      const events = (rest + part).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        if (!event.startsWith('data: ')) continue;
        state = JSON.parse(event.slice('data: '.length)) as PageState;
        count += 1;
        for (const listener of [...listeners]) listener();
      }
    }
  }
  read(response.body).catch(() => {});

  function until<T>(probe: (state: PageState) => T | undefined | false, ms = 40_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = state && probe(state);
        if (!found) return;
        listeners.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      const timer = setTimeout(() => {
        listeners.delete(look);
        reject(new Error(`Not within ${ms} ms: ${probe}\n${state && wordsOn(state)}`));
      }, ms);
      listeners.add(look);
      look();
    });
  }

  const screen = {
    state() {
      if (!state) throw new Error('no state yet');
      return state;
    },
    states: () => count,
    until,
    close: () => leaving.abort(),
  };
  await until(() => true);
  return screen;
}

/** The conversation with this name. Throws if the screen has none. */
export function channelOn(state: PageState, name: string) {
  const found = state.channels.find((channel) => channel.name === name);
  if (!found) throw new Error(`no channel ${name}`);
  return found;
}

/** The newest message in the channel whose text contains `words`. */
export function messageOn(state: PageState, channel: string, words: string): Message | Ephemeral | undefined {
  return state.channels
    .find(({ name }) => name === channel)
    ?.messages.findLast((message) => textOf(message).includes(words));
}

/** The text of all messages on the screen. */
export function wordsOn(state: PageState): string {
  return state.channels.flatMap(({ messages }) => messages.map(textOf)).join('\n---\n');
}

/** The ids of the button with these words, for `/act/click`. */
export function buttonOf(
  message: Message | Ephemeral,
  words: string,
): { block_id: string; action_id: string } {
  for (const block of message.blocks) {
    const elements = (block.elements ?? []) as { action_id?: string; text?: { text?: string } }[];
    const found = elements.find(({ text }) => text?.text === words);
    if (found?.action_id) return { block_id: block.block_id, action_id: found.action_id };
  }
  throw new Error(`no button ${words}: ${textOf(message)}`);
}

/** The block ids of a modal's inputs, by label. */
export function inputsOf({ view }: OpenView): Record<string, string> {
  const inputs = view.blocks.filter(({ type }) => type === 'input');
  return Object.fromEntries(
    inputs.map(({ label, block_id }) => [(label as { text: string }).text, block_id]),
  );
}
