import { z } from 'zod';
import { readContent } from '../content.ts';
import type { Files } from '../files.ts';
import { jsonOf } from '../json-of.ts';
import type { Content } from '../messages.ts';
import type { Records } from '../records.ts';
import { Refusal } from '../refusal.ts';
import type { Channel, Json } from '../types.ts';
import type { Workspace } from '../workspace.ts';
import { type Methods, optional, required } from './args.ts';
import { needWritable, visibleChannel } from './conversations.ts';

/** The size of the largest file, in bytes. */
const MAX_LENGTH = 1_000_000_000;
/** The longest description of a picture, in characters. */
const MAX_ALT_TXT = 1000;

const Completed = z.array(z.object({ id: z.string(), title: z.string().optional() })).min(1);

/** files.*: uploads in three steps, and facts about a file. Source: docs.slack.dev/reference/methods. */
export function createFileMethods(workspace: Workspace, files: Files, records: Records): Methods {
  const { bot } = workspace;

  /** A channel in which the bot can share a file. Unlike chat.postMessage, Slack refuses a user's id here. */
  function shareable(id: string): Channel {
    if (workspace.user(id)) throw new Refusal('invalid_channel');
    return needWritable(visibleChannel(workspace, id), bot);
  }

  function readFiles(args: Json): z.infer<typeof Completed> {
    const given = args.files;
    const { data } = Completed.safeParse(typeof given === 'string' ? jsonOf(given) : given);
    if (data) return data;
    throw new Refusal('invalid_arguments', ['must be a list of file ids [json-pointer:/files]']);
  }

  /** The message beside the files. A comment makes Slack ignore the blocks. */
  function readWords(args: Json): Content {
    const comment = optional(args, 'initial_comment');
    const fields = { text: comment ?? 'A file', blocks: comment === undefined ? args.blocks : [] };
    const thread = optional(args, 'thread_ts');
    const given = { ...fields, ...(thread === undefined ? {} : { thread_ts: thread }) };
    return { ...readContent('files.completeUploadExternal', given, records), text: comment ?? '' };
  }

  return {
    'files.getUploadURLExternal': (args) => {
      const name = required(args, 'filename');
      const length = Number(required(args, 'length'));
      if (!Number.isInteger(length) || length < 1)
        throw new Refusal('invalid_arguments', ['must be greater than 0 [json-pointer:/length]']);
      if (length > MAX_LENGTH) throw new Refusal('file_upload_size_restricted');
      const altText = optional(args, 'alt_txt');
      if (altText !== undefined && altText.length > MAX_ALT_TXT) throw new Refusal('alt_txt_too_large');
      return files.announce(bot.id, { name, length, altText });
    },

    'files.completeUploadExternal': (args) => {
      const completed = readFiles(args);
      const places = optional(args, 'channel_id') ?? optional(args, 'channels') ?? '';
      const channels = places.split(',').filter(Boolean).map(shareable);
      const words = readWords(args);
      for (const { id } of completed) files.needUploaded(id);
      const infos = completed.map(({ id, title }) => files.complete(id, title));
      for (const channel of channels) {
        for (const { id } of infos) files.share(id, channel.id);
        workspace.post(channel.id, bot.id, { ...words, files: infos });
      }
      return { files: infos.map(({ id }) => files.json(id)) };
    },

    'files.info': (args) => ({ file: files.json(required(args, 'file')), comments: [] }),
  };
}
