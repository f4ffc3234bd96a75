import { type Ack, type DeliveryOptions, deliverByHttp } from './http-delivery.ts';
import type { Parts } from './parts.ts';
import type { Envelope } from './payloads.ts';
import type { Ephemeral, Json, Message, OpenView } from './types.ts';

/** The app's reaction to what a person did. */
export interface Reaction extends Ack {
  /** The payload that the app got. */
  readonly payload: Json;
  /** Resolves with the modal that the app opens with this payload's trigger. Rejects after `ms`. */
  view(ms?: number): Promise<OpenView>;
  /** Resolves with the next message by this payload's response_url or acknowledgement. Rejects after `ms`. */
  reply(ms?: number): Promise<Message | Ephemeral>;
  /** Sends the same payload again: a retry of Slack's, or a replay by somebody who recorded it. */
  resend(options?: DeliveryOptions): Promise<this>;
}

/** A payload to send, and what to do with its acknowledgement. */
export interface Errand<Extra> extends Envelope {
  /** Handles the acknowledgement; the reaction gets the fields that it returns. */
  settle?: (ack: Ack) => Extra;
}

export interface ReactionsOptions
  extends Pick<Parts, 'socket' | 'triggers' | 'views' | 'urls' | 'records' | 'changes'> {
  /** The app's address; undefined if it uses Socket Mode. */
  eventsUrl: () => string | undefined;
  signingSecret: string;
}

/** Sends payloads to the app, and makes reactions of its answers. */
export type Reactions = ReturnType<typeof createReactions>;

export function createReactions(options: ReactionsOptions) {
  const { eventsUrl, signingSecret, socket, triggers, views, urls, records, changes } = options;

  function deliver(errand: Envelope, how: DeliveryOptions): Promise<Ack> {
    const url = eventsUrl();
    if (url !== undefined) return deliverByHttp(url, signingSecret, errand, how);
    if (socket.connections() > 0) return socket.deliver(errand, how);
    throw new Error('There is no bot to tell: set an eventsUrl, or connect one in Socket Mode.');
  }

  function reactionTo<Extra extends object>(
    errand: Errand<Extra>,
    ack: Ack,
    extra: Extra,
    known = 0,
  ): Reaction & Extra {
    const { payload } = errand;
    let read = known;
    const reaction = {
      ...ack,
      ...extra,
      payload,
      view: (ms?: number) =>
        changes.waitFor(() => views.get(triggers.viewOf(String(payload.trigger_id)) ?? ''), ms),
      reply: (ms?: number) =>
        changes.waitFor(() => {
          const next = urls.replies(String(payload.response_url))[read];
          if (next) read += 1;
          return next;
        }, ms),
      resend: (how: DeliveryOptions = {}) => send(errand, how),
    };
    return reaction as Reaction & Extra;
  }

  /** Sends a payload and waits for the acknowledgement. Throws if no app is connected. */
  async function send<Extra extends object>(
    errand: Errand<Extra>,
    how: DeliveryOptions = {},
  ): Promise<Reaction & Extra> {
    // If this is a retry, earlier replies by the same response_url are no answer to it.
    const known = urls.replies(String(errand.payload.response_url)).length;
    const ack = await deliver(errand, how);
    if (ack.body !== '' && ack.status !== null) {
      const body = typeof ack.body === 'object' ? (ack.body as Json) : { text: ack.body };
      records.called('ack', body, ack.status, {});
    }
    return reactionTo(errand, ack, errand.settle?.(ack) ?? ({} as Extra), known);
  }

  return {
    send,
    /** The reaction to a payload that Slack's client does not send. */
    unsent: <Extra extends object>(errand: Errand<Extra>, extra: Extra): Reaction & Extra =>
      reactionTo(errand, { status: null, body: '', ms: 0, toast: null }, extra),
  };
}
