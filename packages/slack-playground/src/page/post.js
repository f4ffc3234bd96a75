// @ts-check

/** @import { ActionAnswer, Actions } from '../page-state.ts' */

/** The answer to an action; `problem` matters only if it failed. @typedef {ActionAnswer & { problem: string }} Answer */

/** @typedef {typeof import('../page-state.ts').QUERIES} Queries */
/** @template {keyof Queries} Kind @typedef {import('zod').input<Queries[Kind]>} Query */

/**
 * Asks the server for something. Never throws: the answer's `problem` says what went wrong.
 * @template {keyof Actions} Path
 * @param {Path} path
 * @param {Actions[Path]} body
 */
export const post = (path, body) => send(path, 'application/json', JSON.stringify(body));

/**
 * Puts a file into a form. Never throws.
 * @param {Query<'attach'>} where
 * @param {File} file
 */
export const postFile = (where, file) =>
  send(`/act/attach?${new URLSearchParams({ ...where })}`, 'application/octet-stream', file);

/**
 * Puts a file into a channel. Never throws.
 * @param {Query<'share'>} where
 * @param {File} file
 */
export const postShared = (where, file) =>
  send(`/act/share?${new URLSearchParams({ ...where })}`, 'application/octet-stream', file);

/**
 * @param {string} url
 * @param {string} type
 * @param {string | File} body
 * @returns {Promise<Answer>}
 */
async function send(url, type, body) {
  try {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
    const answer = await response.json().catch(() => undefined);
    if (typeof answer?.ok === 'boolean')
      return { problem: 'That did not work. Please try again.', ...answer };
    return { ok: false, problem: 'The playground could not do that. Please try again.' };
  } catch {
    return { ok: false, problem: 'The playground does not answer. Is it still running in your terminal?' };
  }
}
