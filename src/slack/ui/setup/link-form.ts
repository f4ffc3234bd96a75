import type { ModalView } from '@slack/types';
import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import type { LinkSettings } from '../../../core/accounts/links.ts';
import { plain } from '../blocks.ts';
import { ACTIONS, FIELDS, NEW_INSTANCE, VIEWS } from '../ids.ts';
import { type FieldElement, field, MOST_OPTIONS, modal, option, select } from '../modal.ts';
import { noticeBlock, TITLES } from '../views.ts';
import { type KeyFormFacts, newInstanceFields, settingsFields } from './link-form-fields.ts';

type Shown = Pick<InstanceView, 'id' | 'name' | 'keyHint'>;

/** The form that links a channel to an instance. For a new instance, the form asks for a key and a name. */
export function linkForm(
  facts: KeyFormFacts & {
    /** The id of the channel to link; if undefined, the form asks for one. */
    channel: string | undefined;
    instances: readonly Shown[];
    /** An instance's id, or `NEW_INSTANCE`, which is the default. */
    selected?: string | undefined;
    settings: LinkSettings;
  },
): ModalView {
  const { channel, instances, selected, settings, metadata, notice } = facts;
  const chosen = selected ?? NEW_INSTANCE;
  const options = [
    // The last option is the one for a new instance.
    ...instances.slice(0, MOST_OPTIONS - 1).map(({ id, name, keyHint }) => option(id, name, ` · ${keyHint}`)),
    option(NEW_INSTANCE, 'Add a new instance…'),
  ];
  const channels: FieldElement = {
    type: 'conversations_select',
    filter: { include: ['public', 'private'] },
    placeholder: plain('Choose a channel'),
  };
  return modal(VIEWS.linkForm, { title: TITLES.linkForm, submit: 'Link', metadata }, [
    channel === undefined
      ? field(FIELDS.channel, 'Channel', channels, {
          hint: 'First invite Switchboard to the channel. You must be a member, too.',
        })
      : `${instances.length > 0 ? 'The instance that you choose below' : 'The account of the API key below'} pays for texts from <#${channel}>.`,
    instances.length > 0 &&
      // Its own action: choosing another one changes the form at once.
      field(FIELDS.instance, 'Instance', select({ options }, { chosen }), { action: ACTIONS.chooseInstance }),
    notice && noticeBlock(notice),
    ...(chosen === NEW_INSTANCE ? newInstanceFields(facts) : []),
    ...settingsFields(settings),
  ]);
}
