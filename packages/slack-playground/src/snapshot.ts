import { z } from 'zod';
import { Block, Channel, Ephemeral, KeptFile, Message, type View } from './types.ts';

/** How many messages of each channel, and how many ephemeral ones in all, a snapshot has: the newest. */
export const KEPT_MESSAGES = 500;
/** How many files the workspace keeps: the newest. */
export const KEPT_FILES = 200;

/** Conversations and their messages. */
export const WorkspaceSnapshot = z.strictObject({
  channels: z.array(Channel),
  messages: z.array(Message),
  ephemerals: z.array(Ephemeral),
});
export type WorkspaceSnapshot = z.infer<typeof WorkspaceSnapshot>;

/** The response_urls that still work, by their path. */
export const UrlsSnapshot = z.array(
  z.strictObject({
    path: z.string(),
    user: z.string(),
    channel: z.string(),
    typed: z.string().exactOptional(),
    original: z.union([Ephemeral, Message]).exactOptional(),
    at: z.number(),
    uses: z.number().int(),
    typedShown: z.boolean(),
  }),
);
export type UrlsSnapshot = z.infer<typeof UrlsSnapshot>;

/** Files, without their bytes. */
export const FilesSnapshot = z.array(KeptFile);
export type FilesSnapshot = z.infer<typeof FilesSnapshot>;

/** The playground checked a view when it came, so this checks only the shape. */
const ViewFields = z.looseObject({ id: z.string(), blocks: z.array(Block) });
const isView = (value: unknown) => ViewFields.safeParse(value).success;

/** The Homes that the app published, without what people typed there. */
export const HomesSnapshot = z.array(
  z.strictObject({ user: z.string(), fields: z.custom<Omit<View, 'state'>>(isView) }),
);
export type HomesSnapshot = z.infer<typeof HomesSnapshot>;

/**
 * A playground at one moment, as `snapshot()` returns it and `restore()` takes it. Modals are not in it: a reload closes
 * them.
 */
export const PlaygroundSnapshot = z.strictObject({
  workspace: WorkspaceSnapshot,
  urls: UrlsSnapshot,
  files: FilesSnapshot.default([]),
  homes: HomesSnapshot.default([]),
});
export type PlaygroundSnapshot = z.infer<typeof PlaygroundSnapshot>;
