import type { Ephemeral, Message, OpenView } from './types.ts';

/**
 * What the playground's page shows and does: the contract between the page (plain modules in `page/`) and its server.
 * The page gets the whole state of one person's screen by server-sent events and posts what the person does.
 *
 * - `GET /`: the page; `GET /page/…`: its files.
 * - `GET /events?as=USER`: server-sent events, each `data:` one `PageState` as JSON, sent at once and after each change.
 *   Without `as` it is the screen of the first of the people.
 * - `GET /files/ID?as=USER`: a file's bytes, to keep or to show as text, for whoever sees a conversation that it is in.
 * - `POST /act/attach?…`: the bytes of a file for a file_input, as `application/octet-stream`, with `Attach` as its query.
 * - `POST /act/…`, `/service/…`, `/bot/…`, `/start-over`: JSON in, `ActionAnswer` out (400 with `problem` for bad input).
 */
export interface PageState {
  /** Who is looking. */
  as: string;
  team: { id: string; name: string };
  bot: { userId: string; name: string; state: 'starting' | 'running' | 'down' };
  people: PagePerson[];
  /** The channels and direct messages that this person sees, with their latest messages. */
  channels: PageChannel[];
  /** Modals of this person, topmost last. */
  views: readonly OpenView[];
  /** The commands of the app, for autocomplete: word and hint such as `<number> <text>`. */
  commands: { word: string; hint: string; description: string }[];
  service: PageService;
  /** The five steps of **Try this**, done or not; each fills the composer or switches the person. */
  steps: { [step in Step]: boolean };
}

export type Step = 'link' | 'send' | 'lose_answer' | 'run_low' | 'guest';

export interface PagePerson {
  id: string;
  name: string;
  /** Such as "admin", "member", "guest", "from another workspace". */
  role: string;
}

export interface PageChannel {
  id: string;
  /** Without #; of a direct message with the bot, the bot's name. */
  name: string;
  kind: 'public' | 'private' | 'im';
  /** What everybody there sees, and among it (by `ts`) what only this person sees. */
  messages: readonly (Message | Ephemeral)[];
  /** Whether this person may type here. */
  canType: boolean;
}

/** The messaging service behind the bot: who pays, what arrived on phones, what goes wrong next. */
export interface PageService {
  accounts: { id: number; name: string; credits: number }[];
  keys: { name: string; key: string; account: number; revoked: boolean }[];
  /** How many texts arrived so far. */
  textsInAll: number;
  /** The latest of them, newest last. */
  texts: { id: number; phone: string; text: string; at: number }[];
  /** Faults that can be chosen, as sentences; `active` while one is still to come. */
  faults: { id: string; sentence: string; active: boolean }[];
  /** What happens to a list that the service refuses, as sentences; `number` is one that it always refuses. */
  refusedLists: { chosen: string; choices: { id: string; sentence: string }[]; number: string };
}

/** What came of an action: `problem` is a sentence for the person, such as Slack's own toast. */
export interface ActionAnswer {
  ok: boolean;
  problem?: string;
}

/** A file that a person puts into a file_input of a modal. */
export interface Attach {
  as: string;
  view: string;
  block_id: string;
  action_id: string;
  /** The file's name. */
  name: string;
}

/** Bodies of the posts. */
export interface Actions {
  /** `text` as it was typed, such as `/sms send …`. */
  '/act/command': { as: string; channel: string; text: string };
  /** A plain message, when the text is no command. */
  '/act/say': { as: string; channel: string; text: string };
  /** A button, or a choice in a menu of a message; `value` as `Choice` in elements.ts. */
  '/act/click': {
    as: string;
    channel: string;
    ts: string;
    block_id: string;
    action_id: string;
    value?: unknown;
  };
  /** The same in a modal; `values` is what its inputs hold by then, by block id, so that the app hears of it. */
  '/act/view-click': {
    as: string;
    view: string;
    block_id: string;
    action_id: string;
    value?: unknown;
    values?: { [blockId: string]: unknown };
  };
  /** Submits a modal with the values of its inputs, by block id. */
  '/act/submit': { as: string; view: string; values: { [blockId: string]: unknown } };
  /** Takes a file out of a file_input again. */
  '/act/detach': { as: string; view: string; block_id: string; action_id: string; file: string };
  '/act/close': { as: string; view: string; all?: boolean };
  '/service/fault': { id: string; on: boolean };
  '/service/refused-lists': { id: string };
  '/service/credits': { account: number; credits: number };
  /** kill -9 of the bot, and a new one. */
  '/bot/restart': Record<string, never>;
  '/start-over': Record<string, never>;
}
