import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import type { SameWords } from '../../../core/sends/sends.ts';
import { button } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { readEvenIfSent, withEvenIfSent } from '../may-be-sent.ts';
import { mention, when } from '../words.ts';

/**
 * Says who sent the same words to this number before: "You" to `reader`, the only person who reads the message. Without
 * `reader` it names the person. The channel stays out, since it may be private.
 */
export function sameWordsLine({ by, at, state }: SameWords, reader?: string): string {
  const isMine = by === reader;
  const who = isMine ? 'You' : whoOf(by);
  if (state === 'pending' || state === 'sending') {
    return `⚠️ *${who} ${isMine ? 'are' : 'is'} sending the same words to this number right now.*`;
  }
  return state === 'unknown'
    ? `⚠️ *${who} may have sent the same words to this number${whenOf(at)}.*\nNobody knows whether that text went out.`
    : `⚠️ *${who} sent the same words to this number ${when(at)}.*`;
}

/** The same as the reason why an approved text was not sent. People read it later, so it is in the past tense. */
export function sameWordsReason({ by, at, state }: SameWords): string {
  const who = whoOf(by);
  if (state === 'pending' || state === 'sending')
    return `${who} was already sending the same words to this number.`;
  return state === 'unknown'
    ? `${who} may have sent the same words to this number${whenOf(at)}. The outcome was *unknown*.`
    : `${who} sent the same words to this number ${when(at)}.`;
}

/** If the store has damaged what the repeat guard knew, nobody knows who it was, or when. */
function whoOf(by: string): string {
  return by === '' ? 'Somebody' : mention(by);
}

function whenOf(at: number): string {
  return at === 0 ? '' : ` ${when(at)}`;
}

/** **Send anyway** allows what the preview warns of, and nothing later. `same`: the repeat that the preview shows. */
export function sendAnywayButton(
  view: Pick<SendView, 'id' | 'mayBeSent'>,
  same: SameWords | undefined,
): Button {
  const value = same ? `${view.id}/${same.send}` : view.id;
  return button(ACTIONS.sendAnyway, 'Send anyway', withEvenIfSent(value, view));
}

/** Reads the value of **Send** or **Send anyway**: the draft, and what the preview warns of, if anything. */
export function readSendValue(of: string) {
  const { value, evenIfSent } = readEvenIfSent(of);
  const [id = '', allowed] = value.split('/');
  return { id, allowed, evenIfSent };
}
