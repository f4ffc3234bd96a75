import type { FetchFunction } from '@slack/web-api';

/** A call to Slack, for whoever watches. */
export interface SlackCall {
  /** The Web API's method, or `response_url`. */
  method: string;
  outcome: 'ok' | 'refused' | 'rate_limited' | 'no_answer';
  /** Slack's word for a refusal, such as "not_in_channel". */
  word?: string;
  seconds: number;
}

/** A fetch for Slack's own client that reports every call to the Web API. */
export function watchedFetch(onCall: (call: SlackCall) => void): FetchFunction {
  return async (url, init) => {
    const begun = performance.now();
    const [method = ''] = new URL(url).pathname.split('/').slice(-1);
    const tell = (end: Pick<SlackCall, 'outcome' | 'word'>) =>
      onCall({ method, ...end, seconds: (performance.now() - begun) / 1000 });
    try {
      const response = await fetch(url, init);
      tell(await endOf(response.clone()));
      return response;
    } catch (error) {
      tell({ outcome: 'no_answer' });
      throw error;
    }
  };
}

/** Slack answers 200 even when it refuses: the body says so (docs.slack.dev/apis/web-api). */
async function endOf(response: Response): Promise<Pick<SlackCall, 'outcome' | 'word'>> {
  if (response.status === 429) return { outcome: 'rate_limited' };
  if (response.status !== 200) return { outcome: 'no_answer' };
  const { ok, error } = (await response.json()) as { ok?: unknown; error?: unknown };
  if (ok === true) return { outcome: 'ok' };
  return { outcome: 'refused', ...(typeof error === 'string' ? { word: error } : {}) };
}
