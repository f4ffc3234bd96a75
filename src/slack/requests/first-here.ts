/** How many requests a process remembers by itself. */
const MOST = 10_000;

/** Whether a request of Slack's comes for the first time, without the store: in this process, among the last `MOST`. */
export function createFirstHere(): (request: string) => boolean {
  const seen = new Set<string>();
  return (request) => {
    if (seen.has(request)) return false;
    seen.add(request);
    const [oldest] = seen;
    if (seen.size > MOST && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
