import { z } from 'zod';
import type { Shortcut } from './manifest.ts';
import type { Ephemeral, Message, OpenView, View } from './types.ts';

/**
 * The contract between the page (plain modules in `page/`) and its server. The page gets the whole state of one person's
 * screen by server-sent events, and posts what the person does.
 *
 * - `GET /`: the page; `GET /page/…`: its files; `GET /panels/…`: the files of the panels beside the channel.
 * - `GET /events?as=USER`: server-sent events, each `data:` one `PageState` as JSON, at once and after each change.
 *   Without `as`, the screen of the first of the people.
 * - `GET /files/ID?as=USER`: a file's bytes, to keep or to show as text, if this person sees a conversation with it.
 * - `GET /files/ID/picture?as=USER`: the same for a picture, with its own type.
 * - `POST /act/share?…`: the bytes of a file for a channel, as `application/octet-stream`; its query is `QUERIES.share`.
 * - `POST /act/attach?…`: the bytes of a file for a file_input, the same way; its query is `QUERIES.attach`.
 * - `POST /act/…`, `/panels/…`, `/bot/…`, `/start-over`: JSON in, `ActionAnswer` out (400 with `problem` for bad input).
 */
export interface PageState {
  /** Who is looking. */
  as: string;
  team: { id: string; name: string };
  bot: { userId: string; name: string; state: 'starting' | 'running' | 'down' };
  /** The people that you can act as; `role` such as "admin", "member", "guest", "from another workspace". */
  people: { id: string; name: string; role: string }[];
  /** The channels and direct messages that this person sees, with their latest messages. */
  channels: PageChannel[];
  /** Modals of this person, topmost last. */
  views: readonly OpenView[];
  /** The app's own place: the tabs that this person has there, and the Home that the app published for them. */
  app: { tabs: readonly ('home' | 'messages')[]; view?: View };
  /** The shortcuts of the app that this person has. */
  shortcuts: readonly Shortcut[];
  /**
   * The commands to suggest to this person: word and hint such as `<question> <answers>`. `for`: who may use the command,
   * everybody by default. Staff are members, admins and owners.
   */
  commands: { word: string; hint: string; description: string; for?: 'staff' | 'admins' }[];
  /** The id of the channel that opens first, and that has **Try this**. */
  home: string;
  /** The command that an empty channel recommends. */
  help?: string;
  tryThis?: TryThis;
  /** The panels beside the channel, in their order. */
  tabs: readonly PanelTab[];
  /** What each panel shows, by its id. Only the panel's own module knows the type. */
  panels: { [id: string]: unknown };
}

/** Steps for a newcomer, in the order in which they make sense. */
export interface TryThis {
  steps: Step[];
  /** A key to paste into a form of the app, while a step still needs it. */
  key?: { label: string; name: string; key: string };
}

/** A step fills in the composer; the person presses Enter. */
export interface Step {
  id: string;
  name: string;
  /** What it is about, in one sentence. */
  text: string;
  done: boolean;
  /** Why the step cannot begin yet, as a sentence. */
  needs?: string;
  /** Who can do it: staff are members, admins and owners. */
  by: 'admin' | 'staff' | 'guest';
  /** The text that it writes into the composer. */
  types: string;
  /** What to do after Enter, as a sentence. */
  after: string;
  /** A text for the clipboard, and the `after` once it is there. */
  copies?: { text: string; after: string };
}

/** A panel beside the channel. On a small screen it has a tab with its name and icon. */
export interface PanelTab {
  id: string;
  name: string;
  /** One of `page/icons.js`. */
  icon: string;
}

export interface PageChannel {
  id: string;
  /** Without #; for a direct message, the other one's name. */
  name: string;
  kind: 'public' | 'private' | 'im';
  /** What everybody there sees and what only this person sees, by `ts`. */
  messages: readonly (Message | Ephemeral)[];
  /** Whether this person may type here. */
  canType: boolean;
  /** Whether other workspaces are in it. */
  isShared: boolean;
  /** Whether it is the direct message with the bot. */
  isWithBot: boolean;
}

/** The answer to an action. `problem` is a sentence for the person, such as Slack's own toast. */
export interface ActionAnswer {
  ok: boolean;
  problem?: string;
}

const id = z.string().min(1).max(255);
const text = z.string().max(20_000);
const element = { as: id, block_id: id, action_id: id };
/** The values of inputs, by block id. */
const values = z.record(z.string(), z.unknown());

/** Bodies of the posts of JSON. */
export const BODIES = {
  /** `text` as the person typed it, such as `/poll Lunch?`. */
  '/act/command': z.object({ as: id, channel: id, text }),
  /** A text that is no command. */
  '/act/say': z.object({ as: id, channel: id, text: text.min(1) }),
  /** A button, or a choice in a menu of a message; `value` as `Choice` in elements.ts. */
  '/act/click': z.object({ ...element, channel: id, ts: id, value: z.unknown().optional() }),
  /** The same in a modal or Home; `values` is what its inputs hold, since the app gets that too. */
  '/act/view-click': z.object({
    ...element,
    view: id,
    value: z.unknown().optional(),
    values: values.default({}),
  }),
  /** A modal is submitted. */
  '/act/submit': z.object({ as: id, view: id, values }),
  /** A file is removed from a file_input. */
  '/act/detach': z.object({ ...element, view: id, file: id }),
  /** A global shortcut of the app; `channel` is the open one. */
  '/act/shortcut': z.object({ as: id, callback_id: id, channel: id.optional() }),
  '/act/message-shortcut': z.object({ as: id, callback_id: id, channel: id, ts: id }),
  /** A person opens the app's own place, on this tab. */
  '/act/open-app': z.object({ as: id, tab: z.enum(['home', 'messages']) }),
  '/act/close': z.object({ as: id, view: id, all: z.boolean().default(false) }),
  /** A step of **Try this** begins. */
  '/act/step': z.object({ id }),
  /** Ends the bot with kill -9 and starts a new one. */
  '/bot/restart': z.object({}),
  '/start-over': z.object({}),
};

/** Queries of the posts of files; `name` is the file's. */
export const QUERIES = {
  /** A person puts a file into a file_input of a modal. */
  attach: z.object({ ...element, view: id, name: id }),
  /** A person posts a file in a channel. */
  share: z.object({ as: id, channel: id, name: id }),
};

/** The bodies that the page may post, by path. */
export type Actions = { [Path in keyof typeof BODIES]: z.input<(typeof BODIES)[Path]> } & {
  /** An action of a panel; the panel's own server part checks the body. */
  [panelAction: `/panels/${string}`]: object;
};
