import { randomBytes } from 'node:crypto';
import { readContent } from './content.ts';
import type { Content } from './messages.ts';
import type { Records } from './records.ts';
import { Refusal } from './refusal.ts';
import type { UrlsSnapshot } from './snapshot.ts';
import type { Ephemeral, Json, Message } from './types.ts';
import type { Workspace } from './workspace.ts';

/** How often and how long (ms) a URL works. Source: docs.slack.dev/interactivity/handling-user-interaction. */
const RESPONSE_URL_USES = 5;
export const RESPONSE_URL_LIFE_MS = 30 * 60_000;

/** What a response_url answers. */
export interface Asked {
  user: string;
  channel: string;
  /** A command as the person typed it. The first public answer shows it to everybody. */
  typed?: string;
  /** The message whose element the person used. */
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
        : workspace.postEphemeral(channel, user, content),
    );
  }

  function respond(source: string, one: Issued, body: Json): void {
    const { original } = one.asked;
    /** Undefined if the message is gone, by deletion or a reload. */
    const current = () => original && workspace.current(original);
    const before = current();
    if (body.delete_original === true && before) workspace.remove(before);
    if (body.delete_original === true && body.text === undefined && body.blocks === undefined) return;
    const content = readContent(source, body, records);
    const old = current();
    if (body.replace_original !== true || !original)
      answer(one, content, body.response_type === 'in_channel');
    else if (old) one.replies.push(workspace.edit(old, content));
  }

  function problemOf({ at, uses }: Issued): string | undefined {
    if (uses >= RESPONSE_URL_USES) return 'used_url';
    return workspace.now() - at > RESPONSE_URL_LIFE_MS ? 'expired_url' : undefined;
  }

  /** Handles a post to `url`. Throws used_url, expired_url or no_such_url, and what `readContent` throws. */
  function post(url: string, body: Json): void {
    const one = issued.get(url);
    if (!one) throw new Refusal('no_such_url');
    const problem = problemOf(one);
    if (problem) throw new Refusal(problem);
    one.uses += 1;
    respond('response_url', one, body);
  }

  function snapshot(): UrlsSnapshot {
    const living = [...issued].filter(([, one]) => !problemOf(one));
    return living.map(([url, { asked, at, uses, typedShown }]) => {
      return { path: new URL(url).pathname, ...asked, at, uses, typedShown };
    });
  }

  /** Restores the URLs, with the address that this server has now. */
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
    /** Handles a message in the acknowledgement: like a post, but it does not count as a use of the URL. */
    acknowledge(url: string, body: Json): void {
      const one = issued.get(url);
      if (one) respond('ack', one, body);
    },
    /** The messages that came by `url` so far. */
    replies: (url: string): readonly (Message | Ephemeral)[] => issued.get(url)?.replies ?? [],
    reset: () => issued.clear(),
  };
}
