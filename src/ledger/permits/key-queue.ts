/** The queue of a key's steps in this process: those that wait share a commit, so they don't conflict. */
export function queueOfKey(rateLimitKey: string): string {
  return `key ${rateLimitKey}`;
}
