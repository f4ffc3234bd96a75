import type { ModalView } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { box, field, modal } from '../modal.ts';
import { escaped, quoted } from '../safe-text.ts';
import { noticeBlock, noticeView, TITLES } from '../views.ts';
import { count, credits, firstOf, inLines } from '../words.ts';
import { apiKeyField, type KeyFormFacts, newInstanceFields } from './link-form-fields.ts';

const MOST_CHANNELS = 20;

/** The form that adds an instance, by its key, and links no channel. */
export function addKeyForm({ metadata, notice, ...typed }: KeyFormFacts): ModalView {
  return modal(VIEWS.addKeyForm, { title: TITLES.addKeyForm, submit: 'Add key', metadata }, [
    'The credits of the key’s account pay for texts, once you link a channel to this instance.',
    notice && noticeBlock(notice),
    ...newInstanceFields(typed),
  ]);
}

export function keyKnownAlready(instanceName: string): string {
  return `This key is already saved as ${quoted(instanceName)}. Nothing was added.`;
}

type Named = Pick<InstanceView, 'name' | 'keyHint'>;

export function keyAddedNotice({ name, keyHint }: Named, left: number): string {
  return `✅ *Added*: ${quoted(name)} with the API key ${escaped(keyHint)}.\nBalance: ${credits(left)}\nNow press *Link a channel*.`;
}

/** The form for an instance's new key. `otherAccount`: the new key belongs to another account, and the admin has to accept that. */
export function replaceKeyForm(
  facts: Omit<KeyFormFacts, 'nameValue'> & {
    instance: Named;
    otherAccount?: { was: string; now: string };
  },
): ModalView {
  const { instance, otherAccount, metadata, notice, hash } = facts;
  const accept = { value: 'accept', text: 'Pay from the other account from now on' };
  return modal(VIEWS.replaceKeyForm, { title: TITLES.replaceKeyForm, submit: 'Replace key', metadata }, [
    `The new key replaces ${escaped(instance.keyHint)} in ${quoted(instance.name)}, for every channel that is linked to it.`,
    notice && noticeBlock(notice),
    otherAccount &&
      `⚠️ *This key belongs to another account*: ${quoted(otherAccount.now)}. So far ${quoted(otherAccount.was)} pays.\n` +
        'The other account would pay for all texts from now on. Nothing was saved yet.\n' +
        'Lists under way pause until somebody resumes them.\n' +
        'To go on, paste the key once more and tick the box.',
    apiKeyField(hash),
    otherAccount &&
      field(FIELDS.acceptAccount, 'Another account', box(accept), {
        optional: true,
        // A tick for one account must not stay for another.
        hash,
      }),
  ]);
}

/** The form that removes an instance and its key. While channels are linked to it, the form has no button. */
export function removeInstanceForm(facts: {
  instance: Named;
  channels: readonly string[];
  metadata: string;
}): ModalView {
  const { instance, channels, metadata } = facts;
  const title = TITLES.removeInstanceForm;
  if (channels.length > 0) return noticeView(title, instanceInUse(instance.name, channels));
  return modal(VIEWS.removeInstanceForm, { title, submit: 'Remove instance', metadata }, [
    `Switchboard forgets ${quoted(instance.name)} and its API key ${escaped(instance.keyHint)}.\n` +
      'To use it again, somebody has to add the key again. At the service the key stays valid.',
  ]);
}

/** To an admin who links with a key that the workspace already has: the instance keeps its old name. */
export function knownKeyNotice(instanceName: string): string {
  return `This key is already saved as ${quoted(instanceName)}, so we linked the channel to that instance.`;
}

export function keyReplacedNotice({ name, keyHint }: Named, left: number): string {
  return `✅ *Replaced*: ${quoted(name)} uses the API key ${escaped(keyHint)} now.\nBalance: ${credits(left)}`;
}

export const INSTANCE_REMOVED = 'This instance was removed meanwhile, so nothing was changed.';

export function instanceInUse(instanceName: string, channels: readonly string[], sends = 0): string {
  const named = channels.map((channel) => `<#${channel}>`);
  return inLines(
    `⛔ *${quoted(instanceName)} cannot be removed yet:*`,
    named.length > 0 &&
      `• It is linked to ${firstOf(named, MOST_CHANNELS)}. Type \`/sms unlink\` there first. Then press *Remove instance* on the *Home* tab.`,
    sends > 0 &&
      `• ${underWay(sends)} Then try again.\nA paused list ends only after *Resume* or *Stop* on its card.`,
  );
}

function underWay(sends: number): string {
  return sends === 1
    ? '1 text or list is still under way. Wait until it has ended.'
    : `${count(sends)} texts or lists are still under way. Wait until they have ended.`;
}

export function instanceRemoved(instanceName: string): string {
  return `✅ *Removed*: ${quoted(instanceName)} and its API key are forgotten.\nAt the service the key stays valid until it is rotated there.`;
}
