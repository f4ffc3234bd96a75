// @ts-check

/** @typedef {import('../page-state.ts').Actions} Actions */
/** @typedef {import('../page-state.ts').ActionAnswer} ActionAnswer */

/**
 * Does something on the server. Never throws: what went wrong is the answer's `problem`.
 * @template {keyof Actions} Path
 * @param {Path} path
 * @param {Actions[Path]} body
 * @returns {Promise<ActionAnswer>}
 */
export async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json().catch(() => undefined);
    if (typeof answer?.ok === 'boolean') return answer;
    return { ok: false, problem: 'The playground could not do that. Please try again.' };
  } catch {
    return { ok: false, problem: 'The playground does not answer. Is it still running in your terminal?' };
  }
}
