import { readKey } from '../../../core/accounts/read-key.ts';
import { readMetadata } from '../../forms/form-metadata.ts';
import { fieldOf } from '../../forms/view-values.ts';
import { FIELDS } from '../../ui/ids.ts';
import { INSTANCE_REMOVED, keyReplacedNotice, replaceKeyForm } from '../../ui/setup/key-forms.ts';
import { KEY_FAULTS, keyRefusalSentence } from '../../ui/setup/key-words.ts';
import { CHECKING_KEY_VIEW, noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerAdmin, type FormResult, type ViewHandler } from './submission.ts';

const TITLE = TITLES.replaceKeyForm;

/** The new key is tested before it takes the old one's place; another account behind it is asked about. */
export function submitReplaceKey(deps: SlackDeps): ViewHandler {
  return async (args) => {
    const { ack, view } = args;
    const typed = readKey(fieldOf(view.state.values, FIELDS.apiKey)?.value ?? '');
    if ('fault' in typed)
      return ack({ response_action: 'errors', errors: { [FIELDS.apiKey]: KEY_FAULTS[typed.fault] } });
    const { key } = typed;
    const accepted = fieldOf(view.state.values, FIELDS.acceptAccount)?.selected_options ?? [];
    const metadata = readMetadata(view.private_metadata);
    const form = (
      more: { otherAccount?: { was: string; now: string }; notice?: string },
      instance: { name: string; keyHint: string },
    ) =>
      replaceKeyForm({
        instanceName: instance.name,
        keyHint: instance.keyHint,
        metadata: view.private_metadata,
        keyFieldId: `${FIELDS.apiKey}_${view.hash}`,
        ...more,
      });

    async function work(): Promise<FormResult> {
      const instance = await deps.core.instances.get(metadata.instance ?? '');
      if (!instance) return { view: noticeView(TITLE, INSTANCE_REMOVED) };
      const taken = await deps.core.instances.replaceKey(instance, key, {
        acceptOtherAccount: accepted.length > 0,
      });
      if (taken.kind === 'removed') return { view: noticeView(TITLE, INSTANCE_REMOVED) };
      if (taken.kind === 'other_account') return { view: form({ otherAccount: taken }, instance) };
      if (!('instance' in taken)) return { errors: { [FIELDS.apiKey]: keyRefusalSentence(taken) } };
      // Ends the alert about a refused key, and books the figure of what may be another account.
      await deps.core.credit.read(taken.instance);
      return {
        view: noticeView(
          TITLE,
          keyReplacedNotice({
            instanceName: instance.name,
            keyHint: taken.instance.keyHint,
            credits: taken.credits,
          }),
        ),
      };
    }

    await answerAdmin(deps, args, work, {
      title: TITLE,
      waiting: CHECKING_KEY_VIEW,
      again: async (notice) => {
        const instance = await deps.core.instances.get(metadata.instance ?? '');
        return instance ? form({ notice }, instance) : noticeView(TITLE, notice);
      },
    });
  };
}
