import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import { z } from 'zod';
import { INVALID_BLOCKS, slackErrorOf, UNSURE, waitAfter429 } from '../connection/slack-error.ts';
import type { SlackCall } from '../connection/web-client.ts';
import { asShown, type Message, type ShownMessage } from '../ui/blocks.ts';

/** How to reach the person who asked: kept with the send, so that the answer finds them after a restart. */
export const ReplyTo = z.object({
  user: z.string(),
  channel: z.string(),
  /** Slack's response_url of the command or click; good for 5 uses in 30 minutes. */
  responseUrl: z.string().optional(),
  /** When Slack handed it out, ms since 1970. */
  issuedAt: z.number(),
});
export type ReplyTo = z.infer<typeof ReplyTo>;

/**
 * The result of using a response_url. `gone`: it is used up or too old, so use another way. `invalid`: Slack refuses these
 * blocks. `lost`: nobody knows whether Slack posted the message. An object: Slack asks to wait for `waitMs` first
 * (docs.slack.dev/apis/web-api/rate-limits).
 */
type UrlReply = 'done' | 'gone' | 'invalid' | 'lost' | { waitMs: number };

/** A response_url lives for 30 minutes; one minute is left for clocks that differ. */
const URL_LIFE_MS = 29 * 60_000;
const URL_DEADLINE_MS = 10_000;

/** Answers one person. `onCall` gets each use of a response_url; `web` reports its own calls. */
export function createReplies({ web, onCall }: { web: WebClient; onCall?(call: SlackCall): void }) {
  /** Uses the response_url once. `replace`: puts the message in the place of the one that the URL belongs to. */
  async function byUrl(to: ReplyTo, message: Message, options?: { replace?: boolean }): Promise<UrlReply> {
    if (!to.responseUrl || Date.now() - to.issuedAt > URL_LIFE_MS) return 'gone';
    const begun = performance.now();
    const reply = await useUrl(to.responseUrl, message, options);
    const seconds = (performance.now() - begun) / 1000;
    onCall?.({ method: 'response_url', outcome: outcomeOf(reply), seconds });
    return reply;
  }

  /** Puts a message in the place of the one that the person sees. `reply`: a `ReplyTo`, as a send keeps it. */
  async function inPlace(reply: unknown, message: Message): Promise<UrlReply> {
    const to = ReplyTo.safeParse(reply).data;
    return to ? byUrl(to, message, { replace: true }) : 'gone';
  }

  /** Posts to the person's direct messages. Returns where the message is. */
  async function direct(user: string, message: Message): Promise<{ channel: string; ts: string }> {
    const { channel } = await web.conversations.open({ users: user });
    const id = channel?.id;
    if (!id) throw new Error('Slack opened no direct message');
    const { ts } = await web.chat.postMessage({ channel: id, ...message });
    return { channel: id, ts: ts ?? '' };
  }

  /** Answers where the person asked: by response_url while it lives, then by an ephemeral or a direct message. */
  async function toPerson(
    to: ReplyTo,
    message: Message | ShownMessage,
    options?: { replace?: boolean },
  ): Promise<void> {
    const { shown, plainer } = asShown(message);
    const reply = await byUrl(to, shown, options);
    if (reply === 'done') return;
    if (reply === 'invalid' && plainer) return toPerson(to, plainer, options);
    try {
      await postTo(to, shown);
    } catch (error) {
      if (slackErrorOf(error) !== INVALID_BLOCKS || !plainer) throw error;
      await toPerson(to, plainer, options);
    }
  }

  async function postTo({ user, channel }: ReplyTo, message: Message): Promise<void> {
    // A click on a Home comes from no channel.
    if (channel === '') return void (await direct(user, message));
    try {
      await web.chat.postEphemeral({ channel, user, ...message });
    } catch (error) {
      if (slackErrorOf(error) === INVALID_BLOCKS) throw error;
      // The bot may not be in the channel, or the person may have left it.
      await direct(user, message);
    }
  }

  return { byUrl, inPlace, direct, toPerson };
}

async function useUrl(url: string, message: Message, { replace = false } = {}): Promise<UrlReply> {
  try {
    const { statusCode, headers, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...message, replace_original: replace, response_type: 'ephemeral' }),
      signal: AbortSignal.timeout(URL_DEADLINE_MS),
    });
    const said = await body.text();
    // Slack refuses by the status, or in the body of a 200.
    const refusal = refusalIn(said);
    if (said.includes(INVALID_BLOCKS)) return 'invalid';
    if (statusCode === 200 && refusal === undefined) return 'done';
    if (statusCode === 429 || refusal === 'ratelimited')
      return { waitMs: waitAfter429(headers['retry-after']) };
    return statusCode >= 500 || UNSURE.has(refusal ?? '') ? 'lost' : 'gone';
  } catch {
    // Nobody knows whether Slack posted it: the caller decides whether to post again.
    return 'lost';
  }
}

/** Slack's word for its refusal: empty if it gives none, undefined if it refused nothing. */
function refusalIn(said: string): string | undefined {
  if (!/"ok"\s*:\s*false/.test(said)) return undefined;
  return /"error"\s*:\s*"(\w+)"/.exec(said)?.[1] ?? '';
}

function outcomeOf(reply: UrlReply): SlackCall['outcome'] {
  if (typeof reply === 'object') return 'rate_limited';
  return ({ done: 'ok', gone: 'refused', invalid: 'refused', lost: 'no_answer' } as const)[reply];
}
