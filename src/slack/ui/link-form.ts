import type { KnownBlock, ModalView } from '@slack/types';
import type { LinkSettings } from '../../core/links.ts';
import { ACTIONS, FIELDS, NEW_INSTANCE, VIEWS } from '../ids.ts';
import { instanceInUse } from './key-words.ts';
import { apiKeyField, settingsFields } from './link-fields.ts';
import { checkboxes, field, modal, option, select, textInput } from './modal.ts';
import {
  button,
  buttons,
  context,
  cut,
  escaped,
  type Message,
  mention,
  message,
  oneLine,
  plain,
  plural,
  quoted,
  section,
  when,
} from './words.ts';

/** Slack's limit of options in a menu, less the one for a new instance. */
const MOST_INSTANCES = 99;
/** A section holds 3000 characters. */
const NOTICE_MAX = 2900;

/** The form that ties a channel to an instance; with a new instance it asks for a name and a key. */
export function linkForm({
  instances,
  selected,
  settings,
  nameValue,
  metadata,
  channelName,
  notice,
  keyFieldId,
}: {
  instances: readonly { id: string; name: string; keyHint: string }[];
  /** An instance's id, or `NEW_INSTANCE`, as when it is absent. */
  selected?: string;
  settings: LinkSettings;
  nameValue?: string;
  metadata: string;
  channelName?: string;
  /** Why the form is here again, such as a key that was refused. Plain text. */
  notice?: string;
  /** A fresh id for the key's field, where the form comes again. */
  keyFieldId?: string;
}): ModalView {
  const chosen = selected ?? NEW_INSTANCE;
  const blocks: KnownBlock[] = [];
  if (channelName !== undefined)
    blocks.push(
      section(`Texts from #${escaped(oneLine(channelName, 80))} are paid from this instance’s credits.`),
    );
  if (instances.length > 0) blocks.push(instanceField(instances, chosen));
  if (notice !== undefined) blocks.push(noticeBlock(notice));
  if (chosen === NEW_INSTANCE) {
    blocks.push(
      field(
        FIELDS.instanceName,
        'Instance name',
        textInput(FIELDS.instanceName, {
          placeholder: 'Sales',
          ...(nameValue !== undefined && { initial: nameValue }),
        }),
        { hint: 'What people see in place of the key.' },
      ),
      apiKeyField(keyFieldId),
    );
  }
  blocks.push(...settingsFields(settings));
  return modal({ id: VIEWS.linkForm, title: 'Link this channel', submit: 'Link', blocks, metadata });
}

function instanceField(
  instances: readonly { id: string; name: string; keyHint: string }[],
  chosen: string,
): KnownBlock {
  const options = [
    ...instances.slice(0, MOST_INSTANCES).map(({ id, name, keyHint }) => option(id, name, ` · ${keyHint}`)),
    option(NEW_INSTANCE, 'Add a new instance…'),
  ];
  // Its own action: choosing another one changes the form at once.
  return field(FIELDS.instance, 'Instance', select(ACTIONS.chooseInstance, { options }, { chosen }), {
    dispatch: true,
  });
}

/** A link's settings, and what can be done with its instance. */
export function settingsForm({
  instanceName,
  keyHint,
  linkedBy,
  linkedAt,
  settings,
  metadata,
  notice,
}: {
  instanceName: string;
  keyHint: string;
  linkedBy: string;
  linkedAt: number;
  settings: LinkSettings;
  metadata: string;
  notice?: string;
}): ModalView {
  return modal({
    id: VIEWS.settingsForm,
    title: 'Settings',
    submit: 'Save',
    metadata,
    blocks: [
      ...(notice === undefined ? [] : [noticeBlock(notice)]),
      section(`*Instance:* ${quoted(instanceName)}, API key ${escaped(keyHint)}`),
      buttons(
        button(ACTIONS.replaceKey, 'Replace key'),
        button(ACTIONS.removeInstance, 'Remove instance', undefined, 'danger'),
      ),
      context(`Linked by ${mention(linkedBy)}, ${when(linkedAt)}. For another instance type \`/sms link\`.`),
      ...settingsFields(settings),
    ],
  });
}

/** A new key in an instance's place. `otherAccount`: the new key pays from another account, which has to be accepted. */
export function replaceKeyForm({
  instanceName,
  keyHint,
  otherAccount,
  metadata,
  notice,
  keyFieldId,
}: {
  instanceName: string;
  keyHint: string;
  otherAccount?: { was: string; now: string };
  metadata: string;
  notice?: string;
  /** A fresh id for the key's field, where the form comes again. */
  keyFieldId?: string;
}): ModalView {
  const accept = otherAccount && [
    section(
      `*This key belongs to another account*: ${quoted(otherAccount.now)}, until now it was ${quoted(otherAccount.was)}. ` +
        'Texts will be paid from its credits. Nothing was saved yet: type the key once more and tick the box, or cancel.',
    ),
  ];
  const box = otherAccount && [
    field(
      FIELDS.acceptAccount,
      'Another account',
      checkboxes(
        FIELDS.acceptAccount,
        [{ value: 'accept', text: plain('Pay from the other account from now on') }],
        [],
      ),
      { optional: true },
    ),
  ];
  return modal({
    id: VIEWS.replaceKeyForm,
    title: 'Replace key',
    submit: 'Replace key',
    metadata,
    blocks: [
      section(
        `The new key takes the place of ${escaped(keyHint)} in ${quoted(instanceName)}, for every channel that is linked to it.`,
      ),
      ...(notice === undefined ? [] : [noticeBlock(notice)]),
      ...(accept ?? []),
      apiKeyField(keyFieldId),
      ...(box ?? []),
    ],
  });
}

/** Forgetting an instance and its key. While channels are linked to it, there is no button to do so. */
export function removeInstanceForm({
  instanceName,
  keyHint,
  channels,
  metadata,
}: {
  instanceName: string;
  keyHint: string;
  channels: readonly string[];
  metadata: string;
}): ModalView {
  const title = 'Remove instance';
  if (channels.length > 0) return noticeView(title, instanceInUse({ instanceName, channels }));
  return modal({
    id: VIEWS.removeInstanceForm,
    title,
    submit: 'Remove instance',
    metadata,
    blocks: [
      section(
        `Switchboard forgets ${quoted(instanceName)} and its API key ${escaped(keyHint)}. To use it again, somebody has to add the key ` +
          'again. At the service the key stays valid.',
      ),
    ],
  });
}

/** Why a form is here again. */
function noticeBlock(notice: string): KnownBlock {
  return { type: 'section', text: plain(cut(notice, NOTICE_MAX)) };
}

/** While a key's check takes longer than a moment. */
export function checkingKeyView(): ModalView {
  return noticeView(
    'Checking the key…',
    'Asking the service whether it takes this key. Nothing is saved before it does.',
  );
}

/** A view that only says something. `text` is mrkdwn: what people wrote must be escaped in it. */
export function noticeView(title: string, text: string): ModalView {
  return modal({ id: VIEWS.notice, title, blocks: [section(cut(text, NOTICE_MAX))] });
}

/** In a slow view's place. */
export function loadingView(title: string): ModalView {
  return noticeView(title, 'One moment, please …');
}

/** Asks before a link goes. `drafts`: how many open ones would expire, where that is known. */
export function unlinkQuestion({
  instanceName,
  channel,
  drafts,
}: {
  instanceName: string;
  channel: string;
  drafts?: number;
}): Message {
  const open =
    drafts === undefined
      ? 'Open drafts expire'
      : `${plural(drafts, 'open draft')} ${drafts === 1 ? 'expires' : 'expire'}`;
  return message(
    `*Unlink <#${channel}> from ${quoted(instanceName)}?* No texts can be sent from here any more. ${open}; nothing that was ` +
      'sent changes, and the API key stays with the instance.',
    buttons(
      button(ACTIONS.confirmUnlink, 'Unlink: no more texts from here', undefined, 'danger'),
      button(ACTIONS.keepLink, 'Keep it'),
    ),
  );
}

/** To the person who unlinked. */
export function unlinkedMessage({ instanceName, drafts }: { instanceName: string; drafts: number }): Message {
  const expired =
    drafts === 0
      ? ''
      : ` ${plural(drafts, 'open draft')} expired: nothing of ${drafts === 1 ? 'it' : 'them'} was sent.`;
  return message(
    `*Unlinked* from ${quoted(instanceName)}.${expired} The API key stays with the instance; \`/sms link\` links this channel again.`,
  );
}

/** To the channel that was unlinked. */
export function unlinkedChannelMessage({ by, instanceName }: { by: string; instanceName: string }): Message {
  return message(
    `${mention(by)} unlinked this channel from ${quoted(instanceName)}: no texts can be sent from here any more.`,
  );
}

/** To the channel that was linked. */
export function linkedMessage({
  by,
  instanceName,
  channel,
}: {
  by: string;
  instanceName: string;
  channel: string;
}): Message {
  return message(
    `${mention(by)} linked <#${channel}> to ${quoted(instanceName)}: texts can be sent from here now. Type \`/sms send\` and see what one costs before you decide.`,
  );
}
