import { setTimeout } from 'node:timers/promises';
import type { SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Opens a Socket Mode connection again whenever it ends, until somebody calls the returned function. Jobs and receipts go
 * on meanwhile. The library's own reconnect fails at some answers with an error that nobody can catch: the process ends.
 */
export function keepConnected(client: SocketModeReceiver['client'], log: Logger): () => void {
  let stopped = false;
  let opening = false;
  const isUp = () => client.websocket?.isActive() ?? false;

  async function open(): Promise<void> {
    if (opening) return;
    opening = true;
    for (let tries = 0; !stopped && !isUp(); tries += 1) {
      await setTimeout(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.75 + Math.random() / 2));
      if (stopped) break;
      try {
        await client.start();
        // Somebody stopped it while Slack was slow.
        if (stopped) await client.disconnect();
      } catch (error) {
        log.warn({ err: error }, 'Slack does not open the Socket Mode connection; trying again');
      }
    }
    opening = false;
  }

  client.on('disconnected', open);
  return () => {
    stopped = true;
  };
}
