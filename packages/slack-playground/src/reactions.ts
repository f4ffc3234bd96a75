import { type Ack, type DeliveryOptions, deliverByHttp } from './http-delivery.ts';
import type { Parts } from './parts.ts';
import type { Told } from './payloads.ts';
import type { Ephemeral, Json, Message, OpenView } from './types.ts';

/** What followed when a person did something. */
export interface Reaction extends Ack {
  /** The payload as the app got it. */
  readonly payload: Json;
  /** The modal that the app opened with this action's trigger, as it is now. Rejects after `ms`. */
  view(ms?: number): Promise<OpenView>;
  /** The next message that came by this action's response_url or acknowledgement; rejects after `ms`. */
  reply(ms?: number): Promise<Message | Ephemeral>;
  /** Sends the same payload once more: a retry, or a replay by somebody who recorded it. */
  resend(options?: DeliveryOptions): Promise<this>;
}

/** A payload on its way to the app. */
export interface Errand<Extra> extends Told {
  /** What Slack does with the acknowledgement; its answer is added to the reaction. */
  settle?: (ack: Ack) => Extra;
}

export interface ReactionsOptions
  extends Pick<Parts, 'socket' | 'triggers' | 'views' | 'urls' | 'records' | 'changes'> {
  /** Where the app listens; undefined when it uses Socket Mode. */
  eventsUrl: () => string | undefined;
  signingSecret: string;
}

/** Delivers what people do to the app, and reports what came of it. */
export type Reactions = ReturnType<typeof createReactions>;

export function createReactions(options: ReactionsOptions) {
  const { eventsUrl, signingSecret, socket, triggers, views, urls, records, changes } = options;

  function deliver(errand: Told, how: DeliveryOptions): Promise<Ack> {
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

  /** Delivers and waits for the acknowledgement. Throws when there is nobody to deliver to. */
  async function send<Extra extends object>(
    errand: Errand<Extra>,
    how: DeliveryOptions = {},
  ): Promise<Reaction & Extra> {
    // What came by the same response_url before, when this is a retry, is no answer to it.
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
    /** The reaction to what Slack's client did not send. */
    unsent: <Extra extends object>(errand: Errand<Extra>, extra: Extra): Reaction & Extra =>
      reactionTo(errand, { status: null, body: '', ms: 0, toast: null }, extra),
  };
}
