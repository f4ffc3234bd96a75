import { setTimeout as sleep } from 'node:timers/promises';
import type { View } from '@slack/types';
import type { WebClient } from '@slack/web-api';

/** The view changes at most this often, in ms. */
const EVERY_MS = 1000;

/** Shows how many rows of a list are checked, in the view that waits for it. */
export function createListProgress(web: WebClient, viewOf: (rows: number) => View) {
  let rows = 0;

  async function show(viewId: string, signal: AbortSignal): Promise<void> {
    for (let shown = 0; !signal.aborted; ) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || rows === shown) continue;
      shown = rows;
      // A closed view, or a Slack that is slow, does not keep the list from being checked.
      await web.views.update({ view_id: viewId, view: viewOf(rows) }).catch(() => undefined);
    }
  }

  return {
    note(checked: number): void {
      rows = checked;
    },
    /** Starts to show the number. Returns a function that stops it, and resolves once no call to Slack is running. */
    follow(viewId: string): () => Promise<void> {
      const end = new AbortController();
      const showing = show(viewId, end.signal);
      return async () => {
        end.abort();
        await showing;
      };
    },
  };
}
