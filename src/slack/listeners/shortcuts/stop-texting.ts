import { openOptOutForm } from '../../forms/open-opt-out-form.ts';
import type { ShortcutHandler } from './shortcut.ts';

/** **Stop texting this number**: the form with the numbers in the message's words. */
export const stopTexting: ShortcutHandler = (deps, { on, ...request }) =>
  openOptOutForm(deps, request, on.text);
