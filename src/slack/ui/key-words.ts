import type { KeyRefusal } from '../../core/instances.ts';
import { credits, escaped, oneLine, plural, quoted } from './words.ts';

/** Of the channels that still need an instance, so many are named. */
const MOST_CHANNELS = 20;

/** Why a key was not taken, as plain text for the key's field. Nothing was saved. */
export function keyRefusalSentence(refusal: KeyRefusal): string {
  switch (refusal.kind) {
    case 'refused':
      return 'The service does not know this key. Copy it once more from the account settings, whole. Nothing was saved.';
    case 'unavailable':
      return 'The service did not answer as it should, so the key could not be tested. Nothing was saved; please try again in a moment.';
    case 'busy':
      return `The service takes only so many requests a minute. Nothing was saved; please try again in ${plural(Math.max(1, refusal.seconds), 'second')}.`;
    case 'other_account':
      return `This key belongs to another account, “${oneLine(refusal.now)}”; until now it was “${oneLine(refusal.was)}”. Nothing was saved.`;
    case 'key_in_use':
      return `This is the key of the instance “${oneLine(refusal.name)}” already. Nothing was saved.`;
  }
}

/** To the admin, once a channel is linked. */
export function linkedNotice({
  instanceName,
  channel,
  credits: left,
}: {
  instanceName: string;
  channel: string;
  credits?: number;
}): string {
  const balance =
    left === undefined ? 'The balance could not be read just now.' : `The balance is ${credits(left)}.`;
  return `*Linked*: texts can be sent from <#${channel}> now, by ${quoted(instanceName)}. ${balance}`;
}

/** To the admin whose key the workspace had already: its instance is used, and the new name was not. */
export function knownKeyNotice(instanceName: string): string {
  return `This key was known already, as ${quoted(instanceName)}: that instance is used, and the new name was not.`;
}

/** To the admin, once a key is replaced. */
export function keyReplacedNotice({
  instanceName,
  keyHint,
  credits: left,
}: {
  instanceName: string;
  keyHint: string;
  credits: number;
}): string {
  return `*Replaced*: ${quoted(instanceName)} uses the API key ${escaped(keyHint)} from now on. The balance is ${credits(left)}.`;
}

/** Why an instance can't be removed. */
export function instanceInUse({
  instanceName,
  channels,
  sends = 0,
}: {
  instanceName: string;
  channels: readonly string[];
  sends?: number;
}): string {
  const named = channels.slice(0, MOST_CHANNELS).map((channel) => `<#${channel}>`);
  const more = channels.length > named.length ? ' and more' : '';
  return [
    `${quoted(instanceName)} cannot be removed yet, and nothing was changed:`,
    ...(named.length > 0 ? [`• linked: ${named.join(', ')}${more}. Type \`/sms unlink\` there first.`] : []),
    ...(sends > 0
      ? [`• ${plural(sends, 'text')} not finished, drafts included. Wait for them, or cancel them.`]
      : []),
  ].join('\n');
}

/** To the admin, once an instance is forgotten. */
export function instanceRemoved(instanceName: string): string {
  return `*Removed*: ${quoted(instanceName)} and its API key are forgotten. At the service the key stays valid until it is rotated there.`;
}
