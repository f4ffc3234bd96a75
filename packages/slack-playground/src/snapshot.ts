import { z } from 'zod';
import type { Block } from './types.ts';

/** How many messages of a channel, and ephemeral ones of all, are kept: the newest. */
export const KEPT_MESSAGES = 500;
/** How many files are kept: the newest. */
export const KEPT_FILES = 200;

/** Blocks were checked when they came; here it is enough that they are some. */
function isBlock(value: unknown): boolean {
  return z.looseObject({ type: z.string(), block_id: z.string() }).safeParse(value).success;
}

const FileInfo = z.strictObject({
  id: z.string().regex(/^F[A-Z0-9]+$/),
  name: z.string(),
  title: z.string(),
  filetype: z.string(),
  mimetype: z.string(),
  size: z.number().int(),
  user: z.string(),
  created: z.number(),
});

const message = {
  channel: z.string(),
  ts: z.string().regex(/^\d+\.\d{6}$/),
  user: z.string(),
  text: z.string(),
  blocks: z.array(z.custom<Block>(isBlock)).readonly(),
  thread_ts: z.string().exactOptional(),
  edited: z.boolean().exactOptional(),
  files: z.array(FileInfo).readonly().exactOptional(),
};
const KeptMessage = z.strictObject(message);
const KeptEphemeral = z.strictObject({ ...message, to: z.string() });

/** Conversations and what was said in them. */
export const WorkspaceSnapshot = z.strictObject({
  channels: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      kind: z.enum(['public', 'private', 'im']),
      members: z.array(z.string()).readonly(),
      is_archived: z.boolean(),
      is_ext_shared: z.boolean(),
    }),
  ),
  messages: z.array(KeptMessage),
  ephemerals: z.array(KeptEphemeral),
});
export type WorkspaceSnapshot = z.infer<typeof WorkspaceSnapshot>;

/** The response_urls that can still be used, by their path. */
export const UrlsSnapshot = z.array(
  z.strictObject({
    path: z.string(),
    user: z.string(),
    channel: z.string(),
    typed: z.string().exactOptional(),
    original: z.union([KeptEphemeral, KeptMessage]).exactOptional(),
    at: z.number(),
    uses: z.number().int(),
    typedShown: z.boolean(),
  }),
);
export type UrlsSnapshot = z.infer<typeof UrlsSnapshot>;

/** Files, without their bytes. */
export const FilesSnapshot = z.array(
  z.strictObject({ info: FileInfo, channels: z.array(z.string()).readonly() }),
);
export type FilesSnapshot = z.infer<typeof FilesSnapshot>;

/** What the app published as people's Homes. Views were checked when they came. */
export const HomesSnapshot = z.array(
  z.strictObject({
    user: z.string(),
    fields: z.looseObject({ id: z.string(), blocks: z.array(z.custom<Block>(isBlock)) }),
  }),
);
export type HomesSnapshot = z.infer<typeof HomesSnapshot>;

/**
 * A playground at one moment, as `snapshot()` gives it and `restore()` takes it. Modals are not in it, as after a
 * reload.
 */
export const PlaygroundSnapshot = z.strictObject({
  workspace: WorkspaceSnapshot,
  urls: UrlsSnapshot,
  files: FilesSnapshot.default([]),
  homes: HomesSnapshot.default([]),
});
export type PlaygroundSnapshot = z.infer<typeof PlaygroundSnapshot>;
