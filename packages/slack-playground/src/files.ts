import { randomBytes } from 'node:crypto';
import type { FileBytes } from './file-bytes.ts';
import { isText, typeOf } from './file-types.ts';
import { newId } from './ids.ts';
import { Refusal } from './refusal.ts';
import { type FilesSnapshot, KEPT_FILES } from './snapshot.ts';
import type { Channel, FileInfo, Json, KeptFile, Team } from './types.ts';

export interface FilesOptions {
  team: Team;
  /** Milliseconds. */
  now: () => number;
  /** This server's address. */
  base: () => string;
  channel: (id: string) => Channel | undefined;
  bytes: FileBytes;
}

/** An upload that the app has begun. It becomes a file when the app completes it. */
interface Upload {
  id: string;
  user: string;
  name: string;
  /** Bytes, as the app announced them. */
  length: number;
  /** What a picture shows. */
  altText: string | undefined;
  bytes?: Uint8Array<ArrayBuffer>;
}

/** The newest `KEPT_FILES` files of the workspace. Source: docs.slack.dev/messaging/working-with-files. */
export type Files = ReturnType<typeof createFiles>;

export function createFiles({ team, now, base, channel, bytes }: FilesOptions) {
  const files = new Map<string, KeptFile>();
  /** By the path of the URL that takes the bytes. */
  const uploads = new Map<string, Upload>();

  function keep(file: KeptFile, content: Uint8Array<ArrayBuffer>): FileInfo {
    bytes.write(file.info.id, content);
    files.set(file.info.id, file);
    const surplus = [...files.keys()].slice(0, -KEPT_FILES);
    for (const id of surplus) files.delete(id);
    if (surplus.length > 0) bytes.keepOnly([...files.keys()]);
    return file.info;
  }

  function infoOf(id: string, user: string, name: string, title: string, size: number): FileInfo {
    const { filetype, mimetype } = typeOf(name);
    return { id, name, title, filetype, mimetype, size, user, created: Math.floor(now() / 1000) };
  }

  function need(id: string): KeptFile {
    const file = files.get(id);
    if (!file) throw new Refusal('file_not_found');
    return file;
  }

  /** The file object as Slack gives it. Throws file_not_found. */
  const json = (id: string): Json => fileObject(need(id), { team, base: base(), channel });

  return {
    /** The first step of an upload: makes an address for `length` bytes. */
    announce(user: string, announced: Pick<Upload, 'name' | 'length' | 'altText'>) {
      const id = newId('F');
      const path = `/upload/v1/${randomBytes(24).toString('hex')}`;
      uploads.set(path, { id, user, ...announced });
      return { upload_url: base() + path, file_id: id };
    },

    /** The second step: takes the bytes. Throws no_such_url, used_url or wrong_length. */
    receive(path: string, content: Uint8Array<ArrayBuffer>): void {
      const upload = uploads.get(path);
      if (!upload) throw new Refusal('no_such_url');
      if (upload.bytes) throw new Refusal('used_url');
      if (content.byteLength !== upload.length) throw new Refusal('wrong_length');
      upload.bytes = content;
    },

    /** Throws file_not_found if the bytes have not come yet, or the upload is complete already. */
    needUploaded(id: string): void {
      const upload = [...uploads.values()].find((one) => one.id === id);
      if (!upload?.bytes) throw new Refusal('file_not_found');
    },

    /** The third step: makes the upload a file. Throws file_not_found. */
    complete(id: string, title: string | undefined): FileInfo {
      const [path, upload] = [...uploads].find(([, one]) => one.id === id) ?? [];
      if (!path || !upload?.bytes) throw new Refusal('file_not_found');
      uploads.delete(path);
      const { user, name, length, altText } = upload;
      const info = infoOf(id, user, name, title ?? name, length);
      const described = altText === undefined ? info : { ...info, alt_txt: altText };
      return keep({ info: described, channels: [] }, upload.bytes);
    },

    /** Adds a person's file, in one step. */
    add(user: string, name: string, content: Uint8Array<ArrayBuffer>): FileInfo {
      const info = infoOf(newId('F'), user, name, name, content.byteLength);
      return keep({ info, channels: [] }, content);
    },

    /** Shows the file in a conversation, from now on. Throws file_not_found. */
    share(id: string, place: string): void {
      const { info, channels } = need(id);
      files.set(id, { info, channels: [...channels, place] });
    },

    remove(id: string): void {
      files.delete(id);
      bytes.keepOnly([...files.keys()]);
    },

    json,
    /** The file object in a message: a file that is gone is a tombstone there. */
    jsonInMessage: (id: string): Json => (files.has(id) ? json(id) : { id, mode: 'tombstone' }),
    get: (id: string): KeptFile | undefined => files.get(id),
    /** Undefined for a file that is gone. */
    read: (id: string): Uint8Array<ArrayBuffer> | undefined => (files.has(id) ? bytes.read(id) : undefined),

    reset(): void {
      uploads.clear();
      files.clear();
      bytes.keepOnly([]);
    },
    /** The files without their bytes, which `FileBytes` keeps. Unfinished uploads are not in it. */
    snapshot: (): FilesSnapshot => [...files.values()],
    restore(kept: FilesSnapshot): void {
      uploads.clear();
      files.clear();
      for (const file of kept) files.set(file.info.id, file);
      bytes.keepOnly([...files.keys()]);
    },
  };
}

/** The file object. `base`: this server's address; `channel` finds the conversations that show the file. */
function fileObject(
  { info, channels }: KeptFile,
  { team, base, channel }: { team: Team; base: string; channel: FilesOptions['channel'] },
): Json {
  const place = `${base}/files-pri/${team.id}-${info.id}`;
  const name = encodeURIComponent(info.name);
  const of = (kind: Channel['kind']) => channels.filter((shown) => channel(shown)?.kind === kind);
  return {
    ...info,
    timestamp: info.created,
    pretty_type: typeOf(info.name).pretty_type,
    user_team: team.id,
    mode: isText(info.mimetype) ? 'snippet' : 'hosted',
    editable: isText(info.mimetype),
    is_external: false,
    external_type: '',
    is_public: of('public').length > 0,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${place}/${name}`,
    url_private_download: `${place}/download/${name}`,
    permalink: `https://${team.domain}.slack.com/files/${info.user}/${info.id}/${name}`,
    channels: of('public'),
    groups: of('private'),
    ims: of('im'),
    comments_count: 0,
    has_rich_preview: false,
    file_access: 'visible',
  };
}
