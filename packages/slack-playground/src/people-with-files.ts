import { labelOf, type Spot, spotKey, stateAfter } from './elements.ts';
import { extensionOf } from './file-types.ts';
import type { Parts } from './parts.ts';
import { needView, type ViewRef } from './people-in-views.ts';
import { type Forgery, findSpot, needUser, type Ref, type Target } from './references.ts';
import type { Json } from './types.ts';

/** How large a file of a file_input may be, in bytes. Source: docs.slack.dev/reference/block-kit/block-elements. */
export const MAX_ATTACHED_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 10;

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Why Slack's client would refuse a file in this element, as a sentence for the person; else null. */
function problemWith(element: Json, there: number, name: string, size: number): string | null {
  const { filetypes, max_files: most = MAX_FILES } = element as { filetypes?: string[]; max_files?: number };
  const wanted = filetypes?.map((one) => one.toLowerCase().replace(/^\./, ''));
  if (wanted && !wanted.includes(extensionOf(name))) {
    return `${name} is not of a type that can be used here: choose ${OR.format(wanted.map((one) => `.${one}`))}.`;
  }
  if (size > MAX_ATTACHED_BYTES) return `${name} is too large: a file can have up to 10 MB.`;
  if (there < most) return null;
  return most === 1
    ? 'Only one file can be given here: remove the other one first.'
    : `Only ${most} files can be given here: remove one first.`;
}

/** What people do with the file inputs of modals. Throws if there is no such modal, input or file. */
export function createPeopleWithFiles({ workspace, views, files }: Parts) {
  function needInput(given: { user: Ref; view: ViewRef } & Target & Forgery) {
    const view = needView(views, given);
    const spot = findSpot(view.blocks, given);
    if (spot.element.type !== 'file_input') throw new Error(`"${labelOf(spot)}" takes no files.`);
    const state = view.state.values[spot.block.block_id]?.[String(spot.element.action_id)];
    return { id: view.id, spot, there: (state?.files ?? []) as Json[] };
  }

  function put(id: string, spot: Spot, all: Json[]): void {
    const state = stateAfter(spot.element, all);
    if (state) views.input(id, spotKey(spot), state);
    const { [spot.block.block_id]: _, ...others } = views.get(id)?.errors ?? {};
    views.showErrors(id, others);
  }

  return {
    /**
     * Uploads a file of this person and puts it into a file_input. If Slack's client would refuse the file (wrong type,
     * over 10 MB, one too many), the field shows why instead, unless `forged`. Returns the file as the app gets it, or
     * that sentence.
     */
    attachFile(
      given: { user: Ref; view: ViewRef; name: string; bytes: Uint8Array | string } & Target & Forgery,
    ): { file: Json; problem: null } | { file: null; problem: string } {
      const user = needUser(workspace, given.user);
      const { id, spot, there } = needInput(given);
      const { name } = given;
      const bytes = new Uint8Array(Buffer.from(given.bytes));
      const problem = given.forged ? null : problemWith(spot.element, there.length, name, bytes.byteLength);
      if (problem !== null) {
        views.showErrors(id, { ...views.get(id)?.errors, [spot.block.block_id]: problem });
        return { file: null, problem };
      }
      const file = files.json(files.add(user.id, name, bytes).id);
      put(id, spot, [...there, file]);
      return { file, problem: null };
    },

    /** Removes a file from a file_input. */
    removeFile(given: { user: Ref; view: ViewRef; file: string } & Target): void {
      const { id, spot, there } = needInput(given);
      const left = there.filter((one) => one.id !== given.file);
      if (left.length === there.length) throw new Error(`There is no file ${given.file} in there.`);
      files.remove(given.file);
      put(id, spot, left);
    },
  };
}
