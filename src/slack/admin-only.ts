import { mayAdminister, type Person } from '../core/permissions.ts';
import { adminsOnly, takesNoArgument } from './ui/refusals.ts';
import type { Message } from './ui/words.ts';

/** Why `/sms link`, `unlink` or `settings` is refused: words after it (one might be a key), or not an admin. */
export function adminOnlyWord(request: { word: string; rest: string; person: Person }): Message | undefined {
  if (request.rest !== '') return takesNoArgument(request.word);
  return mayAdminister(request.person) ? undefined : adminsOnly(request.word);
}
