import type { App } from '@slack/bolt';

/** Called for every ack, with the kind of request and the seconds since it came. */
export type OnAck = (kind: string, seconds: number) => void;

const KINDS = ['block_actions', 'view_submission', 'view_closed', 'shortcut', 'message_action'];

/** Times the acks where requests come in: a middleware can't see when a listener acks. */
export function watchAcks(app: App, onAck: OnAck): void {
  const processEvent = app.processEvent.bind(app);
  app.processEvent = (event) => {
    const begun = performance.now();
    return processEvent({
      ...event,
      async ack(response) {
        const answer = await event.ack(response);
        onAck(kindOf(event.body), (performance.now() - begun) / 1000);
        return answer;
      },
    });
  };
}

/** One of a few words, whatever the request says: it becomes a label of a metric. */
function kindOf(body: { command?: unknown; type?: unknown; event?: unknown }): string {
  if (body.command !== undefined) return 'command';
  if (body.event !== undefined) return 'event';
  return KINDS.find((kind) => kind === body.type) ?? 'other';
}
