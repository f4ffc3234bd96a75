import { mayAdminister, type Person } from '../../core/accounts/permissions.ts';
import { adminsOnly, channelsOnly, takesNoArgument } from '../ui/access-refusals.ts';
import type { Message } from '../ui/blocks.ts';

/**
 * Why `/sms link`, `unlink` or `settings` is refused: words after it (one might be a key), not an admin, no channel.
 */
export function adminOnlyWord(request: {
  word: string;
  rest: string;
  person: Person;
  inDirectMessage: boolean;
}): Message | undefined {
  if (request.rest !== '') return takesNoArgument(request.word);
  if (!mayAdminister(request.person)) return adminsOnly(request.word);
  return request.inDirectMessage ? channelsOnly(request.word) : undefined;
}
