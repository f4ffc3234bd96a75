import { z } from 'zod';
import type { Shortcut } from './manifest.ts';
import type { Ephemeral, Message, OpenView, View } from './types.ts';

/**
 * What the playground's page shows and does: the contract between the page (plain modules in `page/`) and its server.
 * The page gets the whole state of one person's screen by server-sent events and posts what the person does.
 *
 * - `GET /`: the page; `GET /page/…`: its files; `GET /panels/…`: those of the panels beside the channel.
 * - `GET /events?as=USER`: server-sent events, each `data:` one `PageState` as JSON, sent at once and after each change.
 *   Without `as` it is the screen of the first of the people.
 * - `GET /files/ID?as=USER`: a file's bytes, to keep or to show as text, for whoever sees a conversation that it is in.
 * - `GET /files/ID/picture?as=USER`: the same of a picture, as one.
 * - `POST /act/share?…`: the bytes of a file for a channel, as `application/octet-stream`, its query is `QUERIES.share`.
 * - `POST /act/attach?…`: the bytes of a file for a file_input, as `application/octet-stream`, its query is `QUERIES.attach`.
 * - `POST /act/…`, `/panels/…`, `/bot/…`, `/start-over`: JSON in, `ActionAnswer` out (400 with `problem` for bad input).
 */
export interface PageState {
  /** Who is looking. */
  as: string;
  team: { id: string; name: string };
  bot: { userId: string; name: string; state: 'starting' | 'running' | 'down' };
  /** Whose part can be played; `role` such as "admin", "member", "guest", "from another workspace". */
  people: { id: string; name: string; role: string }[];
  /** The channels and direct messages that this person sees, with their latest messages. */
  channels: PageChannel[];
  /** Modals of this person, topmost last. */
  views: readonly OpenView[];
  /** The app's own place: the tabs that this person has there, and the Home that was published for them. */
  app: { tabs: readonly ('home' | 'messages')[]; view?: View };
  /** The shortcuts of the app that this person has. */
  shortcuts: readonly Shortcut[];
  /**
   * The commands of the app, for autocomplete: word and hint such as `<question> <answers>`. `for` says who may use one:
   * nobody else gets it suggested. Staff are members, admins and owners.
   */
  commands: { word: string; hint: string; description: string; for?: 'staff' | 'admins' }[];
  /** Id of the channel that opens first, and where **Try this** is. */
  home: string;
  /** The command that a quiet channel recommends. */
  help?: string;
  tryThis?: TryThis;
  /** The panels beside the channel, in their order. */
  tabs: readonly PanelTab[];
  /** What each panel shows, by its id; only its own module reads it. */
  panels: { [id: string]: unknown };
}

/** Steps for a newcomer, in the order in which they make sense. */
export interface TryThis {
  steps: Step[];
  /** What to paste where the app asks for a key, while that is useful. */
  key?: { label: string; name: string; key: string };
}

/** A step prepares; the person presses Enter. */
export interface Step {
  id: string;
  name: string;
  /** What it is about. */
  text: string;
  done: boolean;
  /** What is missing, as a sentence: until then it cannot begin. */
  needs?: string;
  /** Who can do it: staff are members, admins and owners. */
  by: 'admin' | 'staff' | 'guest';
  /** What it writes into the composer. */
  types: string;
  /** What comes after Enter. */
  after: string;
  /** What it copies to the clipboard, and what then comes after Enter. */
  copies?: { text: string; after: string };
}

/** A panel beside the channel: on a small screen its name and icon choose it. */
export interface PanelTab {
  id: string;
  name: string;
  /** One of `page/icons.js`. */
  icon: string;
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
  /** Whether other workspaces are in it. */
  isShared: boolean;
  /** Whether it is the direct message with the bot. */
  isWithBot: boolean;
}

/** What came of an action: `problem` is a sentence for the person, such as Slack's own toast. */
export interface ActionAnswer {
  ok: boolean;
  problem?: string;
}

const id = z.string().min(1).max(255);
const text = z.string().max(20_000);
const element = { as: id, block_id: id, action_id: id };
/** What inputs hold, by block id. */
const values = z.record(z.string(), z.unknown());

/** Bodies of the posts of JSON. */
export const BODIES = {
  /** `text` as it was typed, such as `/poll Lunch?`. */
  '/act/command': z.object({ as: id, channel: id, text }),
  /** A plain message, when the text is no command. */
  '/act/say': z.object({ as: id, channel: id, text: text.min(1) }),
  /** A button, or a choice in a menu of a message; `value` as `Choice` in elements.ts. */
  '/act/click': z.object({ ...element, channel: id, ts: id, value: z.unknown().optional() }),
  /** The same in a modal; `values` is what its inputs hold by then, so that the app hears of it. */
  '/act/view-click': z.object({
    ...element,
    view: id,
    value: z.unknown().optional(),
    values: values.default({}),
  }),
  /** Submits a modal with the values of its inputs. */
  '/act/submit': z.object({ as: id, view: id, values }),
  /** Takes a file out of a file_input again. */
  '/act/detach': z.object({ ...element, view: id, file: id }),
  /** A shortcut of the app; `channel` is the one that is open. */
  '/act/shortcut': z.object({ as: id, callback_id: id, channel: id.optional() }),
  '/act/message-shortcut': z.object({ as: id, callback_id: id, channel: id, ts: id }),
  /** The app's own place was opened, on this tab. */
  '/act/open-app': z.object({ as: id, tab: z.enum(['home', 'messages']) }),
  '/act/close': z.object({ as: id, view: id, all: z.boolean().default(false) }),
  /** A step of **Try this** begins: the server prepares it. */
  '/act/step': z.object({ id }),
  /** kill -9 of the bot, and a new one. */
  '/bot/restart': z.object({}),
  '/start-over': z.object({}),
};

/** Queries of the posts of files; `name` is the file's. */
export const QUERIES = {
  /** A file that a person puts into a file_input of a modal. */
  attach: z.object({ ...element, view: id, name: id }),
  /** A file that a person posts in a channel. */
  share: z.object({ as: id, channel: id, name: id }),
};

/** What the page may post, by its path. */
export type Actions = { [Path in keyof typeof BODIES]: z.input<(typeof BODIES)[Path]> } & {
  /** What a panel asks for; its own server part checks the body. */
  [panelAction: `/panels/${string}`]: object;
};
