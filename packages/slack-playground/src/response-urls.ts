import { randomBytes } from 'node:crypto';
import { readContent } from './content.ts';
import type { Records } from './records.ts';
import { Refusal } from './refusal.ts';
import type { UrlsSnapshot } from './snapshot.ts';
import type { Ephemeral, Json, Message } from './types.ts';
import type { Content, Workspace } from './workspace.ts';

/** How often and how long (ms) one can be used. Source: docs.slack.dev/interactivity/handling-user-interaction. */
const RESPONSE_URL_USES = 5;
export const RESPONSE_URL_LIFE_MS = 30 * 60_000;

/** What a response_url answers to. */
export interface Asked {
  user: string;
  channel: string;
  /** A command as it was typed: shown to everybody by the first public answer. */
  typed?: string;
  /** The message whose element was used. */
  original?: Message | Ephemeral;
}

interface Issued {
  asked: Asked;
  at: number;
  uses: number;
  typedShown: boolean;
  replies: (Message | Ephemeral)[];
}

export type ResponseUrls = ReturnType<typeof createResponseUrls>;

/** The URLs by which an app answers a command or a click. `base` is this server's address. */
export function createResponseUrls(base: () => string, workspace: Workspace, records: Records) {
  const issued = new Map<string, Issued>();

  function issue(asked: Asked): string {
    const url = `${base()}/response/${randomBytes(12).toString('hex')}`;
    issued.set(url, { asked, at: workspace.now(), uses: 0, typedShown: false, replies: [] });
    return url;
  }

  function answer(one: Issued, content: Content, inChannel: boolean): void {
    const { user, channel, typed } = one.asked;
    if (inChannel && typed !== undefined && !one.typedShown) {
      one.typedShown = true;
      workspace.post(channel, user, { text: typed, blocks: [] });
    }
    one.replies.push(
      inChannel
        ? workspace.post(channel, workspace.bot.id, content)
        : workspace.whisper(channel, user, content),
    );
  }

  /** The original as it is now; undefined when it is gone, by deletion or a reload. */
  function current({ original }: Asked): Message | Ephemeral | undefined {
    if (!original) return undefined;
    return 'to' in original
      ? workspace.ephemeral(original.ts)
      : workspace.message(original.channel, original.ts);
  }

  function replace(one: Issued, content: Content): void {
    const now = current(one.asked);
    if (!now) return;
    one.replies.push('to' in now ? workspace.editWhisper(now, content) : workspace.edit(now, content));
  }

  function removeOriginal(one: Issued): void {
    const now = current(one.asked);
    if (!now) return;
    if ('to' in now) workspace.removeWhisper(now);
    else workspace.remove(now);
  }

  function respond(source: string, one: Issued, body: Json): void {
    if (body.delete_original === true) removeOriginal(one);
    if (body.delete_original === true && body.text === undefined && body.blocks === undefined) return;
    const content = readContent(source, body, records);
    if (body.replace_original === true && one.asked.original) replace(one, content);
    else answer(one, content, body.response_type === 'in_channel');
  }

  /** One post to `url`. Throws used_url, expired_url or no_such_url, and what `readContent` throws. */
  function post(url: string, body: Json): void {
    const one = issued.get(url);
    if (!one) throw new Refusal('no_such_url');
    if (one.uses >= RESPONSE_URL_USES) throw new Refusal('used_url');
    if (workspace.now() - one.at > RESPONSE_URL_LIFE_MS) throw new Refusal('expired_url');
    one.uses += 1;
    respond('response_url', one, body);
  }

  const lives = ({ at, uses }: Issued) =>
    uses < RESPONSE_URL_USES && workspace.now() - at <= RESPONSE_URL_LIFE_MS;

  function snapshot(): UrlsSnapshot {
    const living = [...issued].filter(([, one]) => lives(one));
    return living.map(([url, { asked, at, uses, typedShown }]) => {
      return { path: new URL(url).pathname, ...asked, at, uses, typedShown };
    });
  }

  /** They live on under the address that this server has by now. */
  function restore(kept: UrlsSnapshot): void {
    issued.clear();
    for (const { path, at, uses, typedShown, ...asked } of kept) {
      issued.set(base() + path, { asked, at, uses, typedShown, replies: [] });
    }
  }

  return {
    issue,
    snapshot,
    restore,
    post,
    /** A message in the acknowledgement itself: it answers like a post, but is no use of the URL. */
    acknowledge(url: string, body: Json): void {
      const one = issued.get(url);
      if (one) respond('ack', one, body);
    },
    /** What came back by `url` so far. */
    replies: (url: string): readonly (Message | Ephemeral)[] => issued.get(url)?.replies ?? [],
    reset: () => issued.clear(),
  };
}
