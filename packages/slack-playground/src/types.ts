import { z } from 'zod';

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A workspace. */
export interface Team {
  id: string;
  name: string;
  domain: string;
}

/** A person, or the bot. The flags are those of `users.info`. */
export interface User {
  id: string;
  name: string;
  real_name: string;
  team_id: string;
  is_admin: boolean;
  is_owner: boolean;
  is_primary_owner: boolean;
  is_restricted: boolean;
  is_ultra_restricted: boolean;
  is_stranger: boolean;
  is_bot: boolean;
  deleted: boolean;
  tz: string;
}

/** A conversation. `im` has exactly two members. */
export const Channel = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['public', 'private', 'im']),
  members: z.array(z.string()).readonly(),
  is_archived: z.boolean(),
  is_ext_shared: z.boolean(),
});
export type Channel = z.infer<typeof Channel>;

/** A block as Slack keeps it: always with a `block_id`, its elements with an `action_id`. */
export const Block = z.looseObject({ type: z.string(), block_id: z.string() });
export type Block = z.infer<typeof Block>;

/** The facts about a file. */
export const FileInfo = z
  .strictObject({
    id: z.string().regex(/^F[A-Z0-9]+$/),
    name: z.string(),
    title: z.string(),
    /** Slack's name of its type, such as `csv`. */
    filetype: z.string(),
    mimetype: z.string(),
    /** Bytes. */
    size: z.number().int(),
    /** Who uploaded it. */
    user: z.string(),
    /** Seconds since 1970. */
    created: z.number(),
    /** What a picture shows, for people who don't see it. */
    alt_txt: z.string().optional(),
  })
  .readonly();
export type FileInfo = z.infer<typeof FileInfo>;

/** A file, and the ids of the conversations that show it. */
export const KeptFile = z
  .strictObject({ info: FileInfo, channels: z.array(z.string()).readonly() })
  .readonly();
export type KeptFile = z.infer<typeof KeptFile>;

const message = {
  channel: z.string(),
  ts: z.string().regex(/^\d+\.\d{6}$/),
  user: z.string(),
  text: z.string(),
  blocks: z.array(Block).readonly(),
  thread_ts: z.string().exactOptional(),
  edited: z.boolean().exactOptional(),
  files: z.array(FileInfo).readonly().exactOptional(),
};

/** A message that everybody in its channel sees. A changed message is a new object: an old one is a snapshot. */
export const Message = z.strictObject(message).readonly();
export type Message = z.infer<typeof Message>;

/** A message that only the person `to` sees, until that person reloads. */
export const Ephemeral = z.strictObject({ ...message, to: z.string() }).readonly();
export type Ephemeral = z.infer<typeof Ephemeral>;

/** The state of the elements of a message or view: block id → action id → state. */
export type StateValues = Record<string, Record<string, Json>>;

/** A modal or a Home as Slack describes it to the app. */
export interface View extends Json {
  id: string;
  team_id: string;
  type: 'modal' | 'home';
  title: { type: 'plain_text'; text: string };
  blocks: Block[];
  submit: { type: 'plain_text'; text: string } | null;
  close: { type: 'plain_text'; text: string } | null;
  private_metadata: string;
  callback_id: string;
  external_id: string;
  hash: string;
  clear_on_close: boolean;
  notify_on_close: boolean;
  root_view_id: string;
  previous_view_id: string | null;
  state: { values: StateValues };
}

/** A modal as its person sees it. */
export interface OpenView {
  readonly user: string;
  readonly view: View;
  /** The red errors under the inputs, by block id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A call of the Web API, a post to a response_url, or an acknowledgement with a body. */
export interface Call {
  /** A Web API method, `response_url`, or `ack`. */
  readonly method: string;
  /** The arguments with JSON strings parsed; never a token. */
  readonly args: Json;
  readonly status: number;
  readonly result: Json;
  /** The clock's time, ms. */
  readonly at: number;
}

/** Blocks or a view that Slack refuses. */
export interface Failure {
  readonly source: string;
  readonly error: string;
  readonly messages: readonly string[];
}

/** A message that Slack takes, but that screen readers and notifications cannot read. */
export interface Warning {
  readonly source: string;
  readonly message: string;
}

/** A change of the workspace. */
export type Change =
  | { kind: 'message' | 'message_changed' | 'message_deleted'; message: Message }
  | { kind: 'ephemeral' | 'ephemeral_changed' | 'ephemeral_deleted'; message: Ephemeral }
  | { kind: 'view'; user: string; stack: readonly OpenView[] }
  | { kind: 'home'; user: string; view: View }
  | { kind: 'call'; call: Call }
  | { kind: 'failure'; failure: Failure }
  | { kind: 'warning'; warning: Warning }
  | { kind: 'members'; channel: Channel }
  | { kind: 'socket'; connections: number }
  | { kind: 'reset' };
